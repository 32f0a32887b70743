"""Fixes: each is tried by asking the rules about the changed text before anybody is told of it."""
