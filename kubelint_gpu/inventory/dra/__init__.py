"""Devices of concise nodes and pools, as a driver of Dynamic Resource Allocation would publish them."""
