"""Declared objects and the places where they are declared."""
