"""Configuration and inputs of a run."""
