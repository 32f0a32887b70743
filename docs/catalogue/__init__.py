"""The parts of rule pages and of docs/rules.md that the program writes."""
