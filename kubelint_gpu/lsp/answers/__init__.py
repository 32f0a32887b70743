"""One module for each request of the editor."""
