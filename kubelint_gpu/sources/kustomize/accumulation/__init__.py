"""A kustomization built once more in values that know where they were written."""
