"""API objects that decide placement and rollouts, as immutable values."""
