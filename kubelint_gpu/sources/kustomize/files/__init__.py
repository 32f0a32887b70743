"""The files that a kustomization reads."""
