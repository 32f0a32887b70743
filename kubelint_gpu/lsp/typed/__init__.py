"""YAML that somebody is typing."""
