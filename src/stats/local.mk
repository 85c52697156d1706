# files of src/stats
