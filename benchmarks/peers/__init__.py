"""This linter beside others, on the same files and in the same run."""
