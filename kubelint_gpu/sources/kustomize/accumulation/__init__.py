"""A second build of a kustomization, with values that know where they were written."""
