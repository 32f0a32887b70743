"""Whether a cluster has room for all declared workloads: at rest, in rollouts, and if nodes are lost."""
