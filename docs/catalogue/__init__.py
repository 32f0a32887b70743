"""The rule pages as readers see them: blocks that the program fills in, and the pages of `docs/rules/`."""
