"""Text from outside: files, standard input, git, kubectl, and what Helm and Kustomize render."""
