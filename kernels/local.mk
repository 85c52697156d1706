# files of kernels
