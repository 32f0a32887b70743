"""Who does the work on many units: processes of this machine, or workers of others."""
