"""Help texts and shell completion."""
