# files of src/graft
