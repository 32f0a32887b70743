"""Scalar values of the Kubernetes API, and how fields of objects are read."""
