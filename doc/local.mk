# files of doc
