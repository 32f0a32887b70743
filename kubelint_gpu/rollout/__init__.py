"""Whether a rollout ends: controller arithmetic and the search through every order of events."""
