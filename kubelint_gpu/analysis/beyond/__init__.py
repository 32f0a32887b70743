"""Clusters other than the declared one: what is so on any nodes, or on further ones."""
