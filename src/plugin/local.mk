# files of src/plugin
