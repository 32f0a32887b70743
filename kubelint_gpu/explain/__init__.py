"""The command `explain`: why a workload fits where it fits."""
