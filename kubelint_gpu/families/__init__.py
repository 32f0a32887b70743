"""The rules, one module per family: what each asks the core, and where it points."""
