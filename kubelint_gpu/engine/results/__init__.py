"""Results of units: their steps, which results are kept, and which are the same for equal files."""
