"""Concise and raw declarations as API objects."""
