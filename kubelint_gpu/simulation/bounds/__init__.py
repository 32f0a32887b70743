"""Deciders that need no search, one in each module."""
