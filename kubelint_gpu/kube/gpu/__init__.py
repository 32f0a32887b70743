"""Labels and resource names that GPU operators publish."""
