"""Search through the states, replay of runs, and verdicts."""
