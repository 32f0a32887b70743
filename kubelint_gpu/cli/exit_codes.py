"""The exit codes of the program."""

from __future__ import annotations

NOTHING, FINDINGS, FAILED, INTERRUPTED = 0, 1, 2, 130
"""No findings, findings, the run failed, interrupted."""
