"""click commands, configuration, exit codes."""

from __future__ import annotations

import sys

NOTHING, FINDINGS, FAILED, INTERRUPTED = 0, 1, 2, 130


def run() -> None:
    """The console script: exits 0 (nothing), 1 (findings), 2 (the run failed) or 130 (interrupted)."""
    from kubelint_gpu.cli.main import invoke

    sys.exit(invoke(sys.argv[1:]))
