"""click commands, configuration, exit codes."""

from __future__ import annotations

import gc
import os
import sys

from kubelint_gpu import modules
from kubelint_gpu.cli.exit_codes import INTERRUPTED


def run() -> None:
    """The console script: exits 0 (nothing), 1 (findings), 2 (the run failed) or 130 (interrupted)."""
    gc.disable()  # what is imported and read lives until the end of the run: looking for garbage only costs time
    modules.use()
    try:
        from kubelint_gpu.stand_ins import stand_ins

        # click names the class, and to run that module the machine is asked what it is; its messages stay English
        texts = {"gettext": lambda text: text, "ngettext": lambda one, more, count: one if count == 1 else more}
        with stand_ins({"uuid": {"UUID": object}, "gettext": texts}):
            from click import core  # noqa: F401
        from kubelint_gpu.cli.main import invoke

        code = invoke(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        sys.exit(code)
    modules.keep()
    # taking apart what was imported and read costs a tenth of a short run
    os._exit(code)
