"""What the API server refuses of a change."""
