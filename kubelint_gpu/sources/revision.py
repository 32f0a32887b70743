"""Files as they were in a git revision, read from git's objects and never from the work tree."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

_SECONDS = 60


class RevisionError(Exception):
    """A revision cannot be read; the message says why."""


def read_revision(
    revision: str, paths: Iterable[Path], *, max_bytes: int, cwd: Path | None = None
) -> dict[Path, bytes]:
    """The contents that some files had; a file that was not there, or is larger than `max_bytes`, is left out.

    Raises:
        RevisionError: this is no git repository, git is missing, or there is no such revision.
    """
    folder = cwd or Path.cwd()
    root = Path(_git(["rev-parse", "--show-toplevel"], folder).decode().rstrip("\n"))
    try:
        commit = _git(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"], folder)
    except RevisionError:
        raise RevisionError(f'"{revision}" is neither a path nor a revision that git knows') from None
    wanted: list[tuple[Path, str]] = []
    for path in paths:
        full = Path(os.path.realpath(folder / path))
        if full.is_relative_to(os.path.realpath(root)):
            wanted.append((path, full.relative_to(os.path.realpath(root)).as_posix()))
    return _contents(commit.decode().strip(), wanted, root, max_bytes)


def _contents(commit: str, wanted: list[tuple[Path, str]], root: Path, max_bytes: int) -> dict[Path, bytes]:
    askable = [(path, name) for path, name in wanted if "\n" not in name]
    request = "".join(f"{commit}:{name}\n" for _, name in askable)
    sizes = (
        _git(["cat-file", "--batch-check=%(objecttype) %(objectsize)"], root, request.encode()).decode().splitlines()
    )
    found: dict[Path, bytes] = {}
    for (path, name), line in zip(askable, sizes, strict=True):
        kind, _, size = line.partition(" ")
        if kind == "blob" and int(size) <= max_bytes:
            found[path] = _git(["cat-file", "blob", f"{commit}:{name}"], root)
    return found


def _git(arguments: list[str], folder: Path, given: bytes = b"") -> bytes:
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        ran = subprocess.run(  # noqa: S603 - no shell, and nothing of a manifest is among the arguments
            ["git", *arguments],  # noqa: S607 - the user's own git
            cwd=folder,
            input=given,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            env=environment,
        )
    except FileNotFoundError:
        raise RevisionError("git is not installed") from None
    except subprocess.TimeoutExpired:
        raise RevisionError(f"git did not answer within {_SECONDS} seconds") from None
    if ran.returncode:
        raise RevisionError(ran.stderr.decode(errors="replace").strip().removeprefix("fatal: ") or "git failed")
    return ran.stdout
