"""Run the program in a child with a limit on memory and CPU time: what a hostile input may cost."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import warm

ROOT = str(Path(__file__).parents[2])
MEMORY = 1024**3
SECONDS = 20


def run(*arguments, cwd, given=b"", environment=None, seconds=SECONDS, memory=MEMORY):
    """The ended `kubelint-gpu ARGUMENTS…`; one above a limit ends with a signal or a MemoryError and fails the test."""
    whole = {**os.environ, "PYTHONPATH": ROOT, **(environment or {})}
    limits = [(resource.RLIMIT_CPU, (seconds, seconds + 1)), (resource.RLIMIT_AS, (memory, memory))]
    ended = warm.run(arguments, cwd=cwd, environment=whole, given=given, limits=limits, timeout=10 * seconds)
    return _within_limits(ended, seconds)


def run_python(code, *, cwd, given=b"", seconds=SECONDS, memory=MEMORY):
    """The ended `python -c CODE`, under the same limits."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        input=given,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": ROOT},
        preexec_fn=limit,
        timeout=10 * seconds,
    )
    return _within_limits(ended, seconds)


def _within_limits(ended, seconds):
    assert ended.returncode >= 0, (
        f"ended by signal {-ended.returncode} after {seconds} s of CPU: {ended.stderr[-500:]!r}"
    )
    assert b"MemoryError" not in ended.stderr, ended.stderr[-500:]
    return ended
