"""A cluster's own objects as an inventory: what is kept of each kind, under which names, and how it is written."""
