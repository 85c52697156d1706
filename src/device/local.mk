# files of src/device
