"""Facts of the core to findings, one module per rule family."""
