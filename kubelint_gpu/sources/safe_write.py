"""Writing a changed file back: all of it or nothing."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path


class NotWritable(Exception):  # noqa: N818 - it says what the file is
    """A file may not or cannot be written; the message says why."""


def replace_file(path: Path, data: bytes, root: Path) -> None:
    """Put `data` in place of a file in one step, keeping its permissions.

    A link is followed if its target lies below `root`.

    Raises:
        NotWritable: the file lies outside of `root`, is no plain file, or the system refuses.
    """
    target = Path(os.path.realpath(path))
    if not target.is_relative_to(os.path.realpath(root)):
        raise NotWritable(
            f"it is a link to {target}, outside of {root}" if path.is_symlink() else f"it is outside of {root}"
        )
    try:
        status = target.stat()
    except OSError as error:
        raise NotWritable(error.strerror or str(error)) from None
    if not stat.S_ISREG(status.st_mode):
        raise NotWritable("it is no plain file")
    _put(target, data, stat.S_IMODE(status.st_mode))


def write_file(path: Path, data: bytes) -> None:
    """Put `data` into a file that a user named, in one step; a file that is there keeps its permissions.

    What is no plain file, such as a pipe, is written to.

    Raises:
        NotWritable: the system refuses.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o644
    except OSError as error:
        raise NotWritable(error.strerror or str(error)) from None
    _put(target, data, mode)


def _put(target: Path, data: bytes, mode: int) -> None:
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)  # noqa: PTH101 - the descriptor's path is a string
        os.replace(temporary, target)  # noqa: PTH105 - same
        temporary = None
    except OSError as error:
        raise NotWritable(error.strerror or str(error)) from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def repository_root(start: Path) -> Path:
    """The nearest folder upward that holds `.git`, else `start` itself."""
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    return start
