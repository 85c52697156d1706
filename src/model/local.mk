# files of src/model
