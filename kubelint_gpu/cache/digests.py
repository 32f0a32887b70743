"""Digests of everything that decides a result: inputs, the code and data of this program, Python and packages."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from operator import attrgetter
from pathlib import Path

_SIZE = 20

_INSTALLED = (".dist-info", ".egg-info", ".egg-link")
_NO_CODE = frozenset(("__pycache__", "bad", "good", "fixed"))
"""Folders that decide nothing: bytecode, and the examples of rules."""
_PACKAGE = Path(__file__).resolve().parent.parent


def digest_of(parts: Iterable[str | bytes]) -> str:
    """A digest of some parts in order; each is hashed with its length, so that their boundaries matter."""
    made = blake2b(digest_size=_SIZE)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        made.update(b"%d:%b" % (len(data), data))
    return made.hexdigest()


@lru_cache(maxsize=4)
def program_identity(further: tuple[str, ...] = ()) -> str:
    """A digest of the program: the name, size and modification time of each file; `further` are additional folders."""
    folders = (str(_PACKAGE), *further)
    return digest_of((sys.version, sys.platform, *_installed(sys.path), "\0".join(_files(folders))))


@lru_cache(maxsize=4)
def program_contents(further: tuple[str, ...] = ()) -> str:
    """The version, Python, and a digest of the files' contents and of the required packages: equal on every machine."""
    from kubelint_gpu.version import __version__

    digest = digest_of((*_needed(), *_contents(further)))
    return f"kubelint-gpu {__version__} ({digest[:12]}, Python {sys.version_info[0]}.{sys.version_info[1]})"


def _contents(further: Sequence[str]) -> Iterator[str | bytes]:
    for folder in (*further, str(_PACKAGE)):
        for path in sorted(entry.path for entry in _entries((folder,))):
            if folder in further or not path.startswith(tuple(f"{one}{os.sep}" for one in further)):
                yield os.path.relpath(path, os.path.dirname(folder)).replace(os.sep, "/")  # noqa: PTH120 - text
                yield Path(path).read_bytes()


def _needed() -> Iterator[str]:
    """The versions of the packages that this one requires."""
    import re
    from importlib.metadata import PackageNotFoundError, requires, version

    try:
        for one in sorted(requires("kubelint-gpu") or ()):
            name = re.match(r"[\w.-]+", one)
            if name is not None and "extra" not in one:
                yield f"{name[0]} {version(name[0])}"
    except PackageNotFoundError:
        return


def _installed(folders: Sequence[str]) -> Iterator[str]:
    """The names and versions of the installed packages."""
    for folder in folders:
        try:
            found = os.listdir(folder or os.curdir)  # noqa: PTH208 - text
        except OSError:
            continue
        yield from sorted(name for name in found if name.endswith(_INSTALLED))


def _files(folders: Sequence[str]) -> Iterator[str]:
    for entry in _entries(folders):
        stat = entry.stat()
        yield f"{entry.path} {stat.st_size} {stat.st_mtime_ns}"


def _entries(folders: Sequence[str]) -> Iterator[os.DirEntry[str]]:
    """The files in some folders and their subfolders."""
    todo = list(folders)
    while todo:
        folder = todo.pop()
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=attrgetter("name"))
        except OSError:
            continue
        for entry in found:
            if not entry.is_dir():
                yield entry
            elif entry.name not in _NO_CODE:
                todo.append(entry.path)
