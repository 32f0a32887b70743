"""The user's own Kustomize: found, asked for its version, and run within limits."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from kubelint_gpu.sources.children import Ran
from kubelint_gpu.sources.programs import find, is_of_checkout, passed_over, search_path
from kubelint_gpu.sources.rendering_program import ProgramError, RenderTime, run
from kubelint_gpu.values import Value

_FLAG = "--kustomize-timeout"


class Program(Value):
    """The command that builds a kustomization, up to the folder; `named` if the user gave it."""

    command: tuple[str, ...]
    named: bool = False


def find_program(given: str | None = None) -> Program:
    """Return `kustomize`, else `kubectl kustomize`; `given` is the path of either.

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
    """Return the version that the program prints, `?` if it prints none."""
    command = [program.command[0], "version", *(["--client"] if "kubectl" in Path(program.command[0]).name else [])]
    with tempfile.TemporaryDirectory() as home:
        try:
            ran = _run(command, Path(home), 10, with_path=False)
        except ProgramError:
            return "?"
    lines = ran.output.decode(errors="replace").splitlines()
    found = next((line for line in lines if line.startswith("Kustomize Version:")), lines[0] if lines else "?")
    return found.removeprefix("Kustomize Version:").strip()


def build(program: Program, folder: Path, home: Path, flags: tuple[str, ...], time_left: RenderTime) -> Ran:
    """Build a folder.

    Raises:
        ProgramError: Kustomize cannot be started, took too long, printed too much, or lies among the files of the run.
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
    path = os.pathsep.join(search_path()) if with_path else ""
    return run(command, home, seconds, flag=_FLAG, search_path=path, proxied=not with_path)
