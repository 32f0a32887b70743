"""Workload controllers: what each does next in a state."""
