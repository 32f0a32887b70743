"""The declared cluster: its schema, its loading, its table."""
