"""The files of a repository by their path below its root; nothing outside of it is ever read."""

from __future__ import annotations

import os
import posixpath
import stat
from pathlib import Path
from typing import Protocol

from kubelint_gpu.documents import MAX_BYTES
from kubelint_gpu.sources.checkout import is_inside
from kubelint_gpu.sources.paths import LONGEST, is_file, is_folder

Contents = dict[tuple[int, int, int, int], bytes]
"""What files hold, by device, number, size and time of the last change."""


class Tree(Protocol):
    """Files and folders by their path below a root, with forward slashes; the root itself is the empty path."""

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder of this path."""

    def is_file(self, path: str) -> bool:
        """Whether there is a file of this path."""

    def leads_out(self, path: str) -> bool:
        """Whether a link on the way leads out of the root: what is there is not looked at."""

    def canonical(self, path: str) -> str:
        """The path without links: equal for equal folders."""

    def size(self, path: str) -> int | None:
        """How many bytes `read` would give; None where it would give none."""

    def read(self, path: str) -> bytes | None:
        """What a file holds; None where there is none, or where it may not be read."""


class DiskTree:
    """Files of a folder as they lie on the disk; links are followed where they stay inside.

    `texts` stand in place of what the disk has, by path. What files hold is kept in `contents`, by what they are: a
    file is read once, whatever its names.
    """

    def __init__(self, root: Path, texts: dict[str, bytes] | None = None, contents: Contents | None = None) -> None:
        self.root = Path(os.path.realpath(root))
        self._texts = texts or {}
        self._contents: Contents = {} if contents is None else contents

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder of this path inside of the root."""
        full = self._inside(path)
        return full is not None and is_folder(full)

    def is_file(self, path: str) -> bool:
        """Whether there is a plain file of this path inside of the root."""
        full = self._inside(path)
        return full is not None and (path in self._texts or is_file(full))

    def leads_out(self, path: str) -> bool:
        """Whether a link on the way leads out of the root."""
        return self._inside(path) is None

    def canonical(self, path: str) -> str:
        """The path of what a path leads to; itself where that is outside."""
        full = self._inside(path)
        return full.relative_to(self.root).as_posix() if full is not None else path

    def size(self, path: str) -> int | None:
        """The bytes that are read of a plain file."""
        if path in self._texts:
            return len(self._texts[path])
        found = self._plain(path)
        return None if found is None else min(found[1].st_size, MAX_BYTES + 1)

    def read(self, path: str) -> bytes | None:
        """The contents, at most one byte more than the largest file that is read."""
        if path in self._texts:
            return self._texts[path]
        found = self._plain(path)
        if found is None:
            return None
        full, about = found
        identity = about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns
        if identity not in self._contents:
            try:
                with full.open("rb") as file:
                    self._contents[identity] = file.read(MAX_BYTES + 1)
            except OSError:
                return None
        return self._contents[identity]

    def _plain(self, path: str) -> tuple[Path, os.stat_result] | None:
        full = self._inside(path)
        try:
            about = full.stat() if full is not None else None
        except OSError:
            return None
        return (full, about) if full is not None and about is not None and stat.S_ISREG(about.st_mode) else None

    def _inside(self, path: str) -> Path | None:
        if len(path) > LONGEST:
            return self.root / path
        try:
            full = Path(os.path.realpath(self.root / path))
        except (OSError, ValueError):
            return None
        return full if is_inside(full, self.root) else None


def joined(folder: str, reference: str) -> str | None:
    """The path that a reference of a file in `folder` means; None where it leads out of the root, or into `.git`."""
    path = posixpath.normpath(posixpath.join(folder, reference))
    if path.startswith(("/", "../")) or path == ".." or ".git" in path.split("/"):
        return None
    return "" if path == "." else path
