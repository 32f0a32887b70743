"""Texts by key, in a fixed number of files of limited size, so that the total is bounded without maintenance.

Each file holds the entries whose keys begin alike, one on each line, with a digest that detects truncated or changed
lines; these count as missing. A file is replaced as a whole, so that concurrent runs see the old or the new one; if two
write at the same moment, the entries of one are lost, which only costs work.

The folder lies below the user's cache folder. The files of a checkout were written by strangers: a folder inside a
checkout is not used, nor a folder that another user owns or may write to, nor a link.
"""

from __future__ import annotations

import os
import stat
import sys
import time
import zlib
from binascii import Error, a2b_base64, b2a_base64
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.sources.checkout import exists, repository_root

_LEVEL = 6

_RESULTS = "results-1"
_PREFIX = 2
FILE_BYTES = 256 * 1024
"""The most that one of the 256 files holds: what was written first goes first."""
ENTRY_BYTES = FILE_BYTES // 2
_LEFT_SECONDS = 3600
_TEMPORARY = ".part"

SWITCH = "KUBELINT_GPU_NO_CACHE"
"""The environment variable that switches the cache off where it is not empty."""
_NAME = "kubelint-gpu"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class Store:
    """The results of earlier runs; a folder that cannot be used has none, and accepts none."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._results = folder / _RESULTS
        self._files: dict[str, dict[str, bytes]] = {}
        self._new: dict[str, dict[str, bytes]] = {}
        self._readable = opened(folder, make=False) and opened(self._results, make=False)

    def get(self, key: str) -> bytes | None:
        """The text of a key; None if there is none."""
        name = key[:_PREFIX]
        found = self._files.get(name)
        if found is None:
            found = self._files[name] = dict(self._read(name)) if self._readable else {}
        line = found.get(key)
        return _payload(key, line) if line is not None else None

    def put(self, key: str, text: str) -> None:
        """Keep a text under a key after `save`; a text that is too long is not kept."""
        data = text.encode("ascii")
        if len(data) <= ENTRY_BYTES:
            self._new.setdefault(key[:_PREFIX], {})[key] = _sum(key, data) + b" " + data

    def save(self) -> None:
        """Write new entries; if that fails, the next run does the work again."""
        if not self._new or not (opened(self._folder, make=True) and opened(self._results, make=True)):
            return
        for name, entries in self._new.items():
            with suppress(OSError):
                self._write(name, {**dict(self._read(name)), **entries})
        self._new = {}
        self._sweep()

    def _read(self, name: str) -> Iterator[tuple[str, bytes]]:
        """Yield the lines of a file by key; their digests are checked when needed."""
        for line in _bytes_of(self._results / name).split(b"\n"):
            key, _, rest = line.partition(b" ")
            with suppress(UnicodeDecodeError):
                yield key.decode("ascii"), rest

    def _write(self, name: str, entries: dict[str, bytes]) -> None:
        kept: list[bytes] = []
        left = FILE_BYTES
        for key, line in reversed(entries.items()):
            left -= len(key) + len(line) + 2
            if left < 0:
                break
            if _payload(key, line) is not None:
                kept.append(key.encode("ascii") + b" " + line + b"\n")
        temporary = str(self._results / f"{name}.{os.getpid()}.{os.urandom(4).hex()}{_TEMPORARY}")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines(reversed(kept))
            os.replace(temporary, self._results / name)  # noqa: PTH105 - the name is a string
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _sweep(self) -> None:
        """Remove temporary files of runs that were killed while they wrote."""
        with suppress(OSError), os.scandir(self._results) as entries:
            for entry in entries:
                if entry.name.endswith(_TEMPORARY) and entry.stat().st_mtime < time.time() - _LEFT_SECONDS:
                    Path(entry.path).unlink(missing_ok=True)


def users_store() -> Store | None:
    """The results of the user's earlier runs; None if none are kept."""
    folder = cache_folder()
    return Store(folder) if folder is not None else None


def clean(folder: Path) -> int:
    """Remove everything that was kept, and return the number of freed bytes.

    Raises:
        OSError: something cannot be removed.
    """
    import shutil

    results, freed = folder / _RESULTS, 0
    if not (opened(folder, make=False) and opened(results, make=False)):
        return 0
    with os.scandir(results) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
                continue
            freed += entry.stat(follow_symlinks=False).st_size
            Path(entry.path).unlink()
    results.rmdir()
    return freed


def _bytes_of(path: Path) -> bytes:
    """The content of a file; empty if it is a link, no regular file, another user's, or too long."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except OSError:
        return b""
    with suppress(OSError), os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if stat.S_ISREG(found.st_mode) and is_own(found) and found.st_size <= FILE_BYTES:
            return file.read(FILE_BYTES)
    return b""


def _payload(key: str, line: bytes) -> bytes | None:
    told, _, data = line.partition(b" ")
    return data if told == _sum(key, data) else None


def _sum(key: str, data: bytes) -> bytes:
    return digest_of((key, data))[:16].encode("ascii")


def packed(data: bytes) -> str:
    """The bytes, compressed, as a text."""
    return b2a_base64(zlib.compress(data, _LEVEL), newline=False).decode("ascii")


def unpacked(text: bytes, most: int) -> bytes | None:
    """The bytes of a text; None if it was not written by `packed`, or they are more than `most`."""
    try:
        inflating = zlib.decompressobj()
        data = inflating.decompress(a2b_base64(text), most)
    except (zlib.error, Error, ValueError):
        return None
    return data if inflating.eof else None


def cache_folder() -> Path | None:
    """The folder for results, existing or not; None if it is switched off, or no folder may be used."""
    if os.environ.get(SWITCH):
        return None
    base = _user_folder()
    if base is None or not base.is_absolute():
        return None
    folder = base / _NAME
    real = Path(os.path.realpath(folder))
    here = os.path.realpath(repository_root(Path.cwd()))
    return None if real.is_relative_to(here) or exists(repository_root(real) / ".git") else folder


def opened(folder: Path, *, make: bool) -> bool:
    """Whether a folder is the user's own, readable and writable; with `make` it is created."""
    if make:
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and is_own(found)


def is_own(found: os.stat_result) -> bool:
    """Whether a file or folder belongs to the user of this process, and no other user may write to it."""
    if not hasattr(os, "geteuid"):
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & _OTHERS_WRITE


def _user_folder() -> Path | None:
    if sys.platform == "win32":
        given = os.environ.get("LOCALAPPDATA")
        return Path(given) if given else None
    given = os.environ.get("XDG_CACHE_HOME")
    if given and os.path.isabs(given):  # noqa: PTH117 - text
        return Path(given)
    home = os.environ.get("HOME")
    if not home:
        return None
    return Path(home, "Library", "Caches") if sys.platform == "darwin" else Path(home, ".cache")
