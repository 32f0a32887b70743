"""Writes a changed file completely or not at all, even if the run is terminated."""

from __future__ import annotations

import os
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO, NoReturn

from kubelint_gpu.sources.checkout import is_inside, leads_out, way_out

_TEMPORARY = ".kubelint-gpu-"


@contextmanager
def ended_with_the_run() -> Iterator[None]:
    """Raise an exception for SIGTERM and SIGHUP within the block, as for an interrupt; ignored ones stay ignored."""
    import signal

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    names = [signal.SIGTERM, *([signal.SIGHUP] if sys.platform != "win32" else [])]
    before = {number: signal.getsignal(number) for number in names}
    mine = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    for number in mine:
        signal.signal(number, _told_to_end)
    try:
        yield
    finally:
        for number in mine:
            signal.signal(number, before[number])


def _told_to_end(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


class NotWritable(Exception):  # noqa: N818 - it says what the file is
    """A file may not or cannot be written; the message says why."""


def replace_file(path: Path, data: bytes, root: Path, *, was: bytes | None = None) -> None:
    """Replace a file by `data` in one step, keeping its permissions.

    A link is followed if its target lies below `root`. `was` is the expected old content, None to skip that check.

    Raises:
        NotWritable: the file lies outside of `root`, is no regular file, differs from `was`, or the system refuses.
    """
    target = Path(os.path.realpath(path))
    if not is_inside(target, os.path.realpath(root)):
        raise NotWritable(
            f"it is a link to {target}, outside of {root}" if path.is_symlink() else f"it is outside of {root}"
        )
    try:
        status = target.stat()
    except OSError as error:
        raise NotWritable(error.strerror or str(error)) from None
    if not stat.S_ISREG(status.st_mode):
        raise NotWritable("it is no plain file")
    _put(target, data, stat.S_IMODE(status.st_mode), was)


def write_file(path: Path, data: bytes) -> None:
    """Write `data` to a file that a user named, in one step; an existing file keeps its permissions.

    A pipe or another special file is written to directly.

    Raises:
        NotWritable: a link of the checkout leads out of it, or the system refuses.
    """
    target = Path(writable(path))
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o644
    except OSError as error:
        raise NotWritable(error.strerror or str(error)) from None
    _put(target, data, mode)


def writable(path: str | Path) -> str:
    """Return the path without links of a file that a user named for writing.

    Raises:
        NotWritable: a link of the checkout leads out of it.
    """
    out = way_out(path, Path.cwd())
    if out is not None:
        raise NotWritable(leads_out(out))
    return os.path.realpath(path)


def _put(target: Path, data: bytes, mode: int, was: bytes | None = None) -> None:
    temporary = None
    with ended_with_the_run():
        try:
            temporary = _nameless(target.parent, data, mode) or _named(target.parent, data, mode)
            if was is not None and not _still_holds(target, was):
                raise NotWritable("it has changed since it was read")
            os.replace(temporary, target)  # noqa: PTH105 - the name is a string
            temporary = None
        except OSError as error:
            raise NotWritable(error.strerror or str(error)) from None
        finally:
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)


def _still_holds(path: Path, data: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(data) + 1) == data


def _nameless(folder: Path, data: bytes, mode: int) -> str | None:
    """Return the path of a new file that is named only once it is complete; None if the system cannot do that."""
    if not hasattr(os, "O_TMPFILE"):
        return None
    name = str(folder / f"{_TEMPORARY}{os.getpid()}-{os.urandom(4).hex()}")
    try:
        handle = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as file:
            _fill(file, data, mode)
            # with a folder it is linkat(2) and follows the link of /proc
            os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=handle)
    except OSError:
        return None
    return name


def _named(folder: Path, data: bytes, mode: int) -> str:
    import tempfile

    handle, name = tempfile.mkstemp(prefix=_TEMPORARY, dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            _fill(file, data, mode)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return name


def _fill(file: IO[bytes], data: bytes, mode: int) -> None:
    file.write(data)
    file.flush()
    if hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), mode)
    os.fsync(file.fileno())
