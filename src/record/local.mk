# files of src/record
