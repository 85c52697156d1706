# files of src/measure
