"""Programs of the user's, looked up where the checkout cannot put one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from kubelint_gpu.sources.checkout import repository_root


def find(name: str, folders: Sequence[str] | None = None) -> str | None:
    """The path of a program on the PATH, or in some folders; None where there is none outside of the checkout."""
    return next(_named(name, search_path() if folders is None else folders), None)


def passed_over(name: str) -> str | None:
    """The program of the checkout that a shell would start; None where there is none."""
    allowed = set(search_path())
    return next(_named(name, [entry or os.curdir for entry in _entries() if entry not in allowed]), None)


def search_path() -> list[str]:
    """The entries of the PATH that are absolute and lie outside of the repository of the working directory.

    An empty entry and `.` mean the working directory; Windows looks there first, whatever the PATH.
    """
    root = repository_root(Path.cwd())
    return list(_outside(tuple(_entries()), root if os.path.exists(root / ".git") else None))  # noqa: PTH110 - never raises


@lru_cache(maxsize=4)
def _outside(entries: tuple[str, ...], root: Path | None) -> tuple[str, ...]:
    inside = os.path.realpath(root) if root is not None else None
    absolute = [entry for entry in entries if os.path.isabs(entry)]  # noqa: PTH117 - text
    return tuple(one for one in absolute if inside is None or not Path(os.path.realpath(one)).is_relative_to(inside))


def _entries() -> list[str]:
    return os.environ.get("PATH", os.defpath).split(os.pathsep)


def _named(name: str, folders: Sequence[str]) -> Iterator[str]:
    suffixes = os.environ.get("PATHEXT", ".EXE").split(os.pathsep) if os.name == "nt" else [""]
    for folder in folders:
        for suffix in suffixes:
            path = os.path.join(folder, name + suffix)  # noqa: PTH118 - text
            if os.path.isfile(path) and os.access(path, os.X_OK):  # noqa: PTH113 - never raises
                yield path
