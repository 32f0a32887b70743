"""The command `explain`: why a workload fits or does not fit."""
