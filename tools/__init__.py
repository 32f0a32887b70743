"""Programs that make files of this repository from published data."""
