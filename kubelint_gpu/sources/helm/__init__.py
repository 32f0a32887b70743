"""Helm charts, rendered with the user's own `helm`, each field traced to its template line and its value."""
