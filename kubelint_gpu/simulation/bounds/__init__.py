"""Deciders that need no search, one a module."""
