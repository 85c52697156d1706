# files of data
