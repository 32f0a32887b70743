"""Results that are kept between runs: in the user's cache folder, never in a checkout, and never trusted from one.

The key of an entry is a digest of everything that decides it, so that no entry must be invalidated.
"""
