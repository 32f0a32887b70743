"""Programs of the user, looked up outside of the checkout, where a stranger could have put one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from kubelint_gpu.sources.checkout import repositories_around

_PATHS: set[str] = set()


def keep_out(paths: Iterable[str | Path]) -> None:
    """Exclude programs in the repositories of these paths, which a run reads or writes, from now on."""
    _PATHS.update(os.path.abspath(path) for path in paths)  # noqa: PTH100 - a link stays one


def find(name: str, folders: Sequence[str] | None = None) -> str | None:
    """Return the path of a program on the PATH, or in `folders`; None if there is none outside of the checkout."""
    found = _named(name, search_path() if folders is None else folders)
    return next((path for path in found if not is_of_checkout(path)), None)


def is_of_checkout(path: str) -> bool:
    """Whether a program lies in a checkout, or is a link into one."""
    return _lies_in(path, _checkouts(frozenset({os.getcwd(), *_PATHS})))  # noqa: PTH109 - text


def passed_over(name: str) -> str | None:
    """Return the program in the checkout that a shell would start; None if there is none."""
    allowed = set(search_path())
    return next(_named(name, [entry or os.curdir for entry in _entries() if entry not in allowed]), None)


def search_path() -> list[str]:
    """Return the entries of the PATH that are absolute and lie outside of every checkout.

    A checkout is a repository that holds or encloses the working directory or a path given to `keep_out`.
    An empty entry and `.` mean the working directory; Windows looks there first, whatever the PATH.
    """
    return list(_outside(tuple(_entries()), frozenset({os.getcwd(), *_PATHS})))  # noqa: PTH109 - text


@lru_cache(maxsize=4)
def _outside(entries: tuple[str, ...], paths: frozenset[str]) -> tuple[str, ...]:
    absolute = [entry for entry in entries if os.path.isabs(entry)]  # noqa: PTH117 - text
    return tuple(one for one in absolute if not _lies_in(one, _checkouts(paths)))


@lru_cache(maxsize=4)
def _checkouts(paths: frozenset[str]) -> tuple[str, ...]:
    return tuple(repositories_around(paths))


def _lies_in(path: str, checkouts: Sequence[str]) -> bool:
    """Whether the real path lies in one of the folders."""
    return any(map(Path(os.path.realpath(path)).is_relative_to, checkouts))


def _entries() -> list[str]:
    return os.environ.get("PATH", os.defpath).split(os.pathsep)


def _named(name: str, folders: Sequence[str]) -> Iterator[str]:
    suffixes = os.environ.get("PATHEXT", ".EXE").split(os.pathsep) if os.name == "nt" else [""]
    for folder in folders:
        for suffix in suffixes:
            path = os.path.join(folder, name + suffix)  # noqa: PTH118 - text
            if os.path.isfile(path) and os.access(path, os.X_OK):  # noqa: PTH113 - never raises
                yield path
