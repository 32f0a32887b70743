"""What decides a result besides its inputs: this program's own code and data, Python, and what is installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from pathlib import Path

from kubelint_gpu.cache.digests import digest_of

_INSTALLED = (".dist-info", ".egg-info", ".egg-link")
_NO_CODE = frozenset(("__pycache__", "bad", "good", "fixed"))
"""Folders that decide nothing: bytecode, and the examples of rules."""
_PACKAGE = Path(__file__).resolve().parent.parent


@lru_cache(maxsize=4)
def program_identity(further: tuple[str, ...] = ()) -> str:
    """A digest of the program: each of its files by name, size and time of change; `further` are folders of it."""
    folders = (str(_PACKAGE), *further)
    return digest_of((sys.version, sys.platform, *_installed(sys.path), *_files(folders)))


def _installed(folders: Sequence[str]) -> Iterator[str]:
    """The names and versions of the packages that can be imported."""
    for folder in folders:
        try:
            found = os.listdir(folder or os.curdir)  # noqa: PTH208 - text
        except OSError:
            continue
        yield from sorted(name for name in found if name.endswith(_INSTALLED))


def _files(folders: Sequence[str]) -> Iterator[str]:
    todo = list(folders)
    while todo:
        folder = todo.pop()
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=attrgetter("name"))
        except OSError:
            continue
        for entry in found:
            if entry.is_dir():
                if entry.name not in _NO_CODE:
                    todo.append(entry.path)
            else:
                stat = entry.stat()
                yield f"{entry.path} {stat.st_size} {stat.st_mtime_ns}"
