"""The real control plane as the judge: recordings of what API server, controllers and scheduler do, and comparisons."""
