"""YAML and JSON text to plain data with exact positions; knows nothing of Kubernetes."""
