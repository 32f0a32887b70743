"""What rules ask of the core about a set of manifests."""
