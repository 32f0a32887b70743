"""The filter and preemption core: pure functions over immutable values."""
