"""The cluster and simulated rollouts as plain values that formats draw."""
