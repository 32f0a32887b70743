"""GPU models, MIG layouts, and the resources and labels that nodes advertise."""
