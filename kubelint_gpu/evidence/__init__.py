"""Lines that a finding points at."""
