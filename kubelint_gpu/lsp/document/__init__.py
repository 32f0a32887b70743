"""The document and what surrounds it."""
