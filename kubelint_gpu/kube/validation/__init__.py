"""What the API server refuses of an object."""
