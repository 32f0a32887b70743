"""Helm charts: rendered with the user's own `helm`, and each field led back to its template line and its value."""
