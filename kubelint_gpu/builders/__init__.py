"""Findings that several rules build."""
