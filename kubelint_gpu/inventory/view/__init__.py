"""The declared cluster as tables and differences."""
