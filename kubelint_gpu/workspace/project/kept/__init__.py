"""What a run keeps for the next one."""
