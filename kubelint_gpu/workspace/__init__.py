"""What is checked: manifests, the set applied together, and its cluster."""
