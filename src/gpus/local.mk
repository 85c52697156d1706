# files of src/gpus
