"""The user's own Kustomize: found, asked for its version, and run within limits.

It gets no network, no home, no credentials: an environment of its own, proxies that lead nowhere, a bounded time, a
bounded memory where the system can do that (Linux), and a bounded output.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kubelint_gpu.sources import children
from kubelint_gpu.sources.children import ChildError, Limits, Ran, TimeLimitError
from kubelint_gpu.sources.programs import find, is_of_checkout, passed_over, search_path
from kubelint_gpu.values import Value

SECONDS = 60
MOST_TIMES = 10
MOST_OUTPUT = 64 * 1024 * 1024
_MOST_MEMORY = 4 * 1024 * 1024 * 1024
_NOWHERE = "http://127.0.0.1:9"
_KEPT = ("SYSTEMROOT", "SystemRoot")


class ProgramError(Exception):
    """Kustomize cannot be started, or did not end as it should; the message says why."""


class Program(Value):
    """A command that builds a kustomization: its beginning, before the folder; `named` by the user or found."""

    command: tuple[str, ...]
    named: bool = False


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


def find_program(given: str | None = None) -> Program:
    """`kustomize`, else `kubectl kustomize`; `given` is the path of either.

    Raises:
        ProgramError: there is none.
    """
    if given is not None:
        path = shutil.which(given) if os.path.dirname(given) else find(given)  # noqa: PTH120 - as it is written
        if path is None:
            raise ProgramError(f"--kustomize: there is no program {given}")
        return _program(path, named=True)
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
        ProgramError: it cannot be started, took too long, or printed too much, or it lies among the files of the run.
    """
    if not program.named and is_of_checkout(program.command[0]):
        raise ProgramError(f"{program.command[0]} lies in the checkout, and is started only if --kustomize names it")
    seconds = time_left.left()
    with time_left.counted():
        return _run([*program.command, str(folder), *flags], home, seconds, with_path=bool(flags))


def _program(path: str, *, named: bool = False) -> Program:
    path = str(Path(path).absolute())
    return Program((path, "kustomize") if "kubectl" in Path(path).name else (path, "build"), named)


def _run(command: list[str], home: Path, seconds: float, *, with_path: bool) -> Ran:

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
        return children.run(command, Limits(seconds, MOST_OUTPUT, _MOST_MEMORY), folder=home, environment=environment)
    except TimeLimitError as error:
        raise ProgramError(f"{error}; --kustomize-timeout gives it more") from None
    except ChildError as error:
        raise ProgramError(str(error)) from None
