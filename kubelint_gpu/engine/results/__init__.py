"""What comes of units: with which steps, what is kept of it, and what is the same of equal files."""
