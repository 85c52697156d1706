# files of src/tool
