"""Rollouts as many pods over time: controllers, states, search, and the questions that rules ask."""
