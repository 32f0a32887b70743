"""Findings about Jobs and gangs: what they wait for, hold and leave behind."""
