"""Findings, and the catalogue of rules."""
