"""The plugin interface, and the snapshot that plugins look at."""
