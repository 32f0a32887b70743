"""Executors for work on many units: processes of this machine, or workers on others."""
