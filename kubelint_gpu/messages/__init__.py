"""Facts of the core in English."""
