"""Dynamic Resource Allocation: the objects of `resource.k8s.io` as immutable values, one kind a module.

Versions `v1`, `v1beta2` and `v1beta1` are read into the same values; an object without a version is read as `v1`.
"""
