"""Run the program in a child with a limit on memory and CPU time: what a hostile input may cost."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

MEMORY = 1024**3
SECONDS = 20


def run(*arguments, cwd, given=b"", environment=None, seconds=SECONDS, memory=MEMORY):
    """The ended `kubelint-gpu ARGUMENTS…`; one above a limit ends with a signal or a MemoryError and fails the test."""
    return _limited(
        [sys.executable, "-m", "kubelint_gpu", *map(str, arguments)], cwd, given, environment, seconds, memory
    )


def run_python(code, *, cwd, given=b"", seconds=SECONDS, memory=MEMORY):
    """The ended `python -c CODE`, under the same limits."""
    return _limited([sys.executable, "-c", code], cwd, given, None, seconds, memory)


def _limited(command, cwd, given, environment, seconds, memory):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    ended = subprocess.run(
        command,
        cwd=cwd,
        input=given,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **(environment or {})},
        preexec_fn=limit,
        timeout=10 * seconds,
    )
    assert ended.returncode >= 0, (
        f"ended by signal {-ended.returncode} after {seconds} s of CPU: {ended.stderr[-500:]!r}"
    )
    assert b"MemoryError" not in ended.stderr, ended.stderr[-500:]
    return ended
