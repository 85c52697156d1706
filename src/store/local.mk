# files of src/store
