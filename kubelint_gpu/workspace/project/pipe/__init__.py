"""What comes through a pipe."""
