"""Whether a cluster has room for all that is declared: at rest, in rollouts, and if nodes go."""
