"""Clusters other than the declared one: what holds on any nodes, or with more nodes."""
