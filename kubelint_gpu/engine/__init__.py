"""Running rules, suppressing findings, trying fixes."""
