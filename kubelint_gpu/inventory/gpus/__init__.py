"""GPU models, MIG layouts, and what nodes advertise."""
