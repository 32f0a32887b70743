"""States and transitions, and the scheduler as an oracle."""
