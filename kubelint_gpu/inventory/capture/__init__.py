"""Captures a cluster's own objects as an inventory: the fields kept, their names, and their form."""
