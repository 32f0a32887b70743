"""The devices of concise nodes and pools, as a driver for Dynamic Resource Allocation would publish them."""
