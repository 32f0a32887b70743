"""What the program exits with."""

from __future__ import annotations

NOTHING, FINDINGS, FAILED, INTERRUPTED = 0, 1, 2, 130
"""Nothing found, something found, the run itself failed, interrupted."""
