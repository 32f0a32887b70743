"""The structured allocator: which devices of a node some claims get."""
