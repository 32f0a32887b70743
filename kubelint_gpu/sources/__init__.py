"""Where text comes from: files, directories, standard input."""
