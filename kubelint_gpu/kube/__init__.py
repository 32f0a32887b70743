"""Kubernetes' vocabulary as immutable types; knows nothing of YAML, files or positions."""
