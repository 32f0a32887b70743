"""From a cluster and its workloads to the pods that take part in a rollout."""
