"""Workload controllers: the next action of each in a state."""
