"""The user's own Kustomize: found, asked for its version, and run within limits.

It gets no network, no home, no credentials: an environment of its own, proxies that lead nowhere, a bounded time, a
bounded memory where the system can do that (Linux), and a bounded output.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from kubelint_gpu.sources.programs import find, passed_over, search_path
from kubelint_gpu.values import Value

if TYPE_CHECKING:
    import subprocess

SECONDS = 60
MOST_TIMES = 10
MOST_OUTPUT = 64 * 1024 * 1024
_MOST_ERROR = 64 * 1024
_MOST_MEMORY = 4 * 1024 * 1024 * 1024
_NOWHERE = "http://127.0.0.1:9"
_KEPT = ("SYSTEMROOT", "SystemRoot")
_running: set[subprocess.Popen[bytes]] = set()


class ProgramError(Exception):
    """Kustomize cannot be started, or did not end as it should; the message says why."""


class Program(Value):
    """A command that builds a kustomization: its beginning, before the folder."""

    command: tuple[str, ...]


class BuildTime:
    """How long builds may take: `seconds` for one, `MOST_TIMES` as many for all of a run together."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._taken: list[float] = []

    def left(self) -> float:
        """The seconds that the next build may take.

        Raises:
            ProgramError: there are none.
        """
        together = self.seconds * MOST_TIMES
        left = together - sum(self._taken)
        if left <= 0:
            raise ProgramError(
                f"it is not built, because the builds of this run took {together:g} seconds together, the most that "
                "they may; --kustomize-timeout gives them more"
            )
        return min(self.seconds, left)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """What the block takes is no longer left."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self._taken.append(time.monotonic() - begun)


class Ran(Value):
    """What a run gave: `error` is what it wrote to standard error, `failed` whether its exit code was not 0."""

    output: bytes
    error: str
    failed: bool


def find_program(given: str | None = None) -> Program:
    """`kustomize`, else `kubectl kustomize`; `given` is the path of either.

    Raises:
        ProgramError: there is none.
    """
    if given is not None:
        path = shutil.which(given) if os.path.dirname(given) else find(given)  # noqa: PTH120 - as it is written
        if path is None:
            raise ProgramError(f"--kustomize: there is no program {given}")
        return _program(path)
    for name in ("kustomize", "kubectl"):
        path = find(name)
        if path is not None:
            return _program(path)
    here = next(filter(None, map(passed_over, ("kustomize", "kubectl"))), None)
    raise ProgramError(
        "neither kustomize nor kubectl is on the PATH, and one of them is needed to render; install one, give "
        "--kustomize PATH, or check what kustomize build prints"
        + (f"; {here} lies in the checkout, and is started only where --kustomize names it" if here else "")
    )


def version(program: Program) -> str:
    """What the program calls its version, `?` where it does not say."""
    command = [program.command[0], "version", *(["--client"] if "kubectl" in Path(program.command[0]).name else [])]
    with tempfile.TemporaryDirectory() as home:
        try:
            ran = _run(command, Path(home), 10, with_path=False)
        except ProgramError:
            return "?"
    lines = ran.output.decode(errors="replace").splitlines()
    found = next((line for line in lines if line.startswith("Kustomize Version:")), lines[0] if lines else "?")
    return found.removeprefix("Kustomize Version:").strip()


def build(program: Program, folder: Path, home: Path, flags: tuple[str, ...], time_left: BuildTime) -> Ran:
    """Build a folder.

    Raises:
        ProgramError: it cannot be started, took too long, or printed too much.
    """
    seconds = time_left.left()
    with time_left.counted():
        return _run([*program.command, str(folder), *flags], home, seconds, with_path=bool(flags))


def end_all() -> None:
    """End every program that is still running, for a run that is interrupted."""
    for process in tuple(_running):
        _kill(process)


def _program(path: str) -> Program:
    path = str(Path(path).absolute())
    return Program((path, "kustomize") if "kubectl" in Path(path).name else (path, "build"))


def _run(command: list[str], home: Path, seconds: float, *, with_path: bool) -> Ran:
    import subprocess

    environment = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "TMPDIR": str(home),
        "PATH": os.pathsep.join(search_path()) if with_path else "",
        "KUBECONFIG": str(home / "none"),
        "LC_ALL": "C",
        **{name: _NOWHERE for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy") if not with_path},
        **{name: os.environ[name] for name in _KEPT if name in os.environ},
    }
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell; the arguments are paths of our own and the user's flags
            command,
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ProgramError(f"{command[0]} cannot be started: {(error.strerror or str(error)).lower()}") from None
    _running.add(process)
    _limit(process.pid, seconds)
    return _awaited(process, seconds, Path(command[0]).name)


def _awaited(process: subprocess.Popen[bytes], seconds: float, name: str) -> Ran:
    import subprocess

    out, err = _Pipe(process.stdout, MOST_OUTPUT, process), _Pipe(process.stderr, _MOST_ERROR, None)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise ProgramError(f"{name} took longer than {seconds:g} seconds; --kustomize-timeout gives it more") from None
    finally:
        _kill(process)
        process.wait()
        _running.discard(process)
        out.join()
        err.join()
    if out.overflown:
        raise ProgramError(f"{name} printed more than {MOST_OUTPUT >> 20} MB, the most that is read")
    return Ran(out.data(), err.data().decode(errors="replace"), process.returncode != 0)


class _Pipe(threading.Thread):
    """Reads a pipe up to a limit; what comes after it is thrown away, and the writer is ended."""

    def __init__(self, pipe: IO[bytes] | None, most: int, process: subprocess.Popen[bytes] | None) -> None:
        super().__init__(daemon=True)
        self.overflown = False
        self._pipe = pipe
        self._most = most
        self._process = process
        self._parts: list[bytes] = []
        self.start()

    def run(self) -> None:
        """Read until the writer closes its end."""
        size = 0
        while self._pipe is not None:
            part = self._pipe.read1(65536) if hasattr(self._pipe, "read1") else self._pipe.read(65536)
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
        """What was read."""
        return b"".join(self._parts)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the program and what it started."""
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        process.kill()
        return
    import signal

    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()


def _limit(pid: int, seconds: float) -> None:
    """Linux can bound another process, even if this one is killed; elsewhere limits of time and output have to do."""
    if sys.platform == "linux":
        import resource

        try:
            resource.prlimit(pid, resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))
            busy = (int(seconds) + 2) * (os.cpu_count() or 1)
            resource.prlimit(pid, resource.RLIMIT_CPU, (busy, busy))
        except (OSError, ValueError):
            return
