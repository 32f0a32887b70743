"""Programs of the user, started without a shell and ended at a limit of time, memory and output.

On Linux another process can be given a limit of memory that holds even if this process is killed; on other systems only
time and output are limited. The children of such a program are limited in the same way.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from kubelint_gpu.values import Value

_MOST_ERROR = 64 * 1024
_PART = 64 * 1024
_running: set[subprocess.Popen[bytes]] = set()


class ChildError(Exception):
    """A program cannot be started, or failed; the message says why."""


class TimeLimitError(ChildError):
    """The program was ended at its limit of time."""


class OutputLimitError(ChildError):
    """The program was ended at its limit of output."""


class Limits(Value):
    """Limits of a program: seconds of run time, bytes of output and bytes of memory."""

    seconds: float
    output: int
    memory: int


class Ran(Value):
    """The result of a program: `error` is its standard error, `failed` whether its exit code was not 0."""

    output: bytes
    error: str
    failed: bool


def run(
    command: Sequence[str | bytes],
    limits: Limits,
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    given: bytes = b"",
    session: bool = True,
) -> Ran:
    """Run a program with `given` as its standard input, and return its output.

    In a `session` of its own, the program is ended together with its children, and cannot ask at the terminal.

    Raises:
        ChildError: the program cannot be started, took too long, or printed too much.
    """
    name = os.fsdecode(command[0])
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell; the callers say what is among the arguments
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE if given else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=session,
        )
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise ChildError(f"{name} cannot be started: {reason.lower()}") from None
    _running.add(process)
    _limit(process.pid, limits)
    return _awaited(process, limits, Path(name).name, given)


def end_all() -> None:
    """End every program that is still running, because the run is interrupted."""
    for process in tuple(_running):
        _kill(process)


def _awaited(process: subprocess.Popen[bytes], limits: Limits, name: str, given: bytes) -> Ran:
    end = time.monotonic() + limits.seconds
    out, err = _Output(process.stdout, limits.output, process), _Output(process.stderr, _MOST_ERROR, None)
    threads = [out, err, *([_Input(process.stdin, given)] if given else [])]
    try:
        process.wait(timeout=limits.seconds)
        for thread in threads:
            # what it has started may hold the pipe
            thread.join(max(1.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise TimeLimitError(f"{name} took longer than {limits.seconds:g} seconds") from None
    finally:
        _kill(process)
        process.wait()
        _running.discard(process)
    if out.overflown:
        raise OutputLimitError(f"{name} printed more than {limits.output >> 20} MB, the most that is read")
    if any(thread.is_alive() for thread in threads):
        raise TimeLimitError(f"{name} ended, and what it started did not within {limits.seconds:g} seconds")
    return Ran(out.data(), err.data().decode(errors="replace"), process.returncode != 0)


class _Output(threading.Thread):
    """Reads a pipe up to a limit; the rest is discarded, and the writer is ended."""

    def __init__(self, pipe: IO[bytes] | None, most: int, process: subprocess.Popen[bytes] | None) -> None:
        super().__init__(daemon=True)
        self.overflown = False
        self._pipe = pipe
        self._most = most
        self._process = process
        self._parts: list[bytes] = []
        self.start()

    def run(self) -> None:
        """Read until the writer closes the pipe."""
        size = 0
        while self._pipe is not None:
            part = self._pipe.read1(_PART) if hasattr(self._pipe, "read1") else self._pipe.read(_PART)
            if not part:
                break
            size += len(part)
            if size > self._most:
                self.overflown = True
                if self._process is not None:
                    _kill(self._process)
                continue
            self._parts.append(part)
        if self._pipe is not None:
            self._pipe.close()

    def data(self) -> bytes:
        """Return the bytes read."""
        return b"".join(self._parts)


class _Input(threading.Thread):
    """Writes to a pipe until the reader closes it."""

    def __init__(self, pipe: IO[bytes] | None, data: bytes) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self._data = data
        self.start()

    def run(self) -> None:
        """Write all data, and close the pipe."""
        if self._pipe is not None:
            with suppress(OSError), self._pipe:
                self._pipe.write(self._data)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the program and its children."""
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        process.kill()
        return
    import signal

    try:
        if os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):
        process.kill()


def _limit(pid: int, limits: Limits) -> None:
    if sys.platform == "linux":
        import resource

        busy = (int(limits.seconds) + 2) * (os.cpu_count() or 1)
        bounds = ((resource.RLIMIT_DATA, limits.memory), (resource.RLIMIT_CPU, busy))
        for kind, most in bounds:
            with suppress(OSError, ValueError):
                resource.prlimit(pid, kind, (most, most))
