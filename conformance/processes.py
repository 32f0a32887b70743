"""Programs that are started for a run and all stopped at its end, however it ends."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from conformance.tools import cache

_PR_SET_PDEATHSIG = 1
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LIBC = ctypes.CDLL(None, use_errno=True)


class NothingChosen(RuntimeError):
    """No case is what was asked for."""


def free_ports(count: int) -> list[int]:
    """Ports on loopback that nobody listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def interruptible() -> None:
    """End by an exception where a signal asks for it, so that everything is stopped and removed on the way out."""
    for number in _SIGNALS:
        signal.signal(number, _interrupted)


def tied_to_parent() -> None:
    """Between fork and exec: die with the thread that started this process, even where that is killed outright."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@contextlib.contextmanager
def group_ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Afterwards no process of the group that one leads is left."""
    try:
        yield
    finally:
        _signal_group(process, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is gone afterwards; what a killed process leaves is removed by the next run."""
    runs = cache() / "runs"
    place = runs if runs.is_dir() else None
    with tempfile.TemporaryDirectory(prefix=f"{os.getpid()}-", dir=place) as name:
        yield Path(name)


class Supervisor:
    """Everything that one run has started, and the folder that it writes to.

    Each program is the leader of its own process group, and dies with this process even when that is killed outright.
    Programs must be started from the main thread: the kernel ties that promise to the thread that starts them.
    """

    def __init__(self, *, keep: bool = False) -> None:
        runs = cache() / "runs"
        runs.mkdir(parents=True, exist_ok=True)
        sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=runs))
        self.folder.chmod(0o700)
        self._keep = keep
        self._running: list[tuple[str, subprocess.Popen[bytes]]] = []
        atexit.register(self.stop)
        interruptible()

    def start(self, name: str, command: Sequence[str], environment: dict[str, str] | None = None) -> None:
        """Start a program at low priority; its output goes to `<name>.log` in the run's folder."""
        log = (self.folder / f"{name}.log").open("wb")
        with log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env={"PATH": os.environ.get("PATH", ""), "HOME": str(self.folder), **(environment or {})},
                start_new_session=True,
                preexec_fn=_quiet_and_tied,  # noqa: PLW1509 - no other thread runs when programs are started
            )
        self._running.append((name, process))

    def dead(self) -> tuple[str, ...]:
        """Programs that have ended although nobody stopped them."""
        return tuple(name for name, process in self._running if process.poll() is not None)

    def log(self, name: str, lines: int = 20) -> str:
        """The end of a program's output."""
        text = (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def stop(self) -> None:
        """Stop every program, last started first, and remove the folder; who is impatient meanwhile waits for it."""
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        running, self._running = self._running[::-1], []
        for _, process in running:
            _signal_group(process, signal.SIGTERM)
        until = time.monotonic() + 3
        for _, process in running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.05, until - time.monotonic()))
            _signal_group(process, signal.SIGKILL)
            process.wait()
        if not self._keep:
            shutil.rmtree(self.folder, ignore_errors=True)
        interruptible()


def _quiet_and_tied() -> None:
    os.nice(10)
    tied_to_parent()


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _interrupted(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def sweep() -> None:
    """Remove folders of runs that were killed outright."""
    runs = cache() / "runs"
    for folder in sorted(runs.iterdir()) if runs.is_dir() else ():
        owner = folder.name.split("-")[0]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(folder, ignore_errors=True)
