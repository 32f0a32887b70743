"""Results that are kept between runs: in the user's cache folder, never in a checkout, and never trusted from one.

An entry is found by a digest of everything that decides it; nothing has to be told when it becomes invalid.
"""
