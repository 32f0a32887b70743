"""Placing several pods one after the other."""
