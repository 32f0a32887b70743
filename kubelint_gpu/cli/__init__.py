"""click commands, configuration, exit codes."""
