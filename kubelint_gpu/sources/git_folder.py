"""What git reads of a repository, looked at before git is started: for what a pipe gives it would wait for ever."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from kubelint_gpu.sources.checkout import repositories_around
from kubelint_gpu.sources.paths import exists, is_file, is_folder

_MOST = 64 * 1024
_CONFIGURATIONS = ("config", "config.worktree")
_NAMING = frozenset((".git", "commondir", "alternates", *_CONFIGURATIONS))
"""Files that name others for git to read."""


@lru_cache(maxsize=16)
def odd_file(git: Path) -> str | None:
    """The path of what git would read as a file and is none, such as a pipe or a device; None where all is well.

    `git` is the folder that git keeps for itself, or the file in its place that names it. Of other folders those are
    looked at that lie in a repository that holds or encloses it, and those that git then keeps in its place.
    """
    checkouts = list(repositories_around([str(git.absolute().parent)]))
    seen: set[str] = set()
    todo = [(str(git.absolute()), False)]
    while todo:
        path, included = todo.pop()
        real = os.path.realpath(path)
        if real in seen or not exists(real):
            continue
        seen.add(real)
        if not (is_file(real) or is_folder(real)):
            return path
        if any(map(Path(real).is_relative_to, checkouts)):
            configures = included or os.path.basename(path) in _CONFIGURATIONS  # noqa: PTH119 - text
            found = [*(_telling(real) if is_folder(real) else _named(path, configures=configures))]
            if os.path.basename(path) in (".git", "commondir"):  # noqa: PTH119 - text
                checkouts += [os.path.realpath(one) for one in found if os.path.lexists(f"{one}/HEAD")]
            todo += [(one, configures) for one in found]
    return None


def _telling(folder: str) -> Iterator[str]:
    """What a folder holds apart from the plain files that name no other one."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name in _NAMING or not entry.is_file(follow_symlinks=False):
                    yield entry.path
    except OSError:
        return


def _named(path: str, *, configures: bool) -> Iterator[str]:
    """The paths that a file of git names; one that `configures` names those that it includes."""
    folder, name = os.path.split(path)
    base = os.path.dirname(folder) if name == "alternates" else folder  # noqa: PTH120 - text
    sign = b"=" if configures else b":" if name == ".git" else b""
    with open(path, "rb") as file:  # noqa: PTH123 - text
        lines = file.read(_MOST).splitlines()
    for line in lines:
        key, found, value = line.partition(sign) if sign else (b"", sign, line)
        if found == sign and (not configures or key.strip().lower().endswith(b"path")):
            written = os.fsdecode(value.strip().strip(b'"'))
            yield os.path.join(base, os.path.expanduser(written))  # noqa: PTH111, PTH118 - text
