"""A linter whose verdict on GPU workloads is the kube-scheduler's own."""
