"""The parts of rule pages and of the README that the program writes."""
