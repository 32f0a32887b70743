"""Shows the progress of a run in one line of the terminal, and removes the line at the end."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TextIO, TypeVar

AFTER = 0.5
"""Seconds before the line appears: a quick run shows none."""
EVERY = 0.1
_CLEAR = "\r\x1b[2K"
_AT_ONCE = 8

Thing = TypeVar("Thing")
Answer = TypeVar("Answer")


class Tell(Protocol):
    """Receives the progress of the work."""

    def __call__(self, done: int, name: str = "") -> None:
        """Report that so many things are done or begun; `name` is the present one."""


@contextmanager
def progress(
    doing: str, total: int, stream: TextIO | None = None, *, after: float = AFTER, every: float = EVERY
) -> Iterator[Tell]:
    """Show a line on standard error while the work takes place: after some seconds, and again every few seconds.

    There is no line if standard error is no terminal, or in a hook: pre-commit might give its hooks a terminal.
    """
    out = stream or sys.stderr
    visible = shown(out)
    due, written = time.monotonic() + after, False

    def tell(done: int, name: str = "") -> None:
        nonlocal due, written
        if visible and (now := time.monotonic()) >= due:
            out.write(_CLEAR + _line(f"{doing} {done} of {total}", name, out))
            out.flush()
            due, written = now + every, True

    try:
        yield tell
    finally:
        if written:
            out.write(_CLEAR)
            out.flush()


def in_threads(
    doing: str, things: Sequence[Thing], work: Callable[[Thing], Answer], name: Callable[[Thing], str]
) -> list[Answer]:
    """Return `work` of each thing, in their order. The threads might start programs, which end with the run."""
    from concurrent.futures import ThreadPoolExecutor, wait
    from threading import Thread

    from kubelint_gpu.sources.children import end_all
    from kubelint_gpu.sources.safe_write import ended_with_the_run

    pool = ThreadPoolExecutor(max_workers=min(_AT_ONCE, os.cpu_count() or 1, len(things)))
    with progress(doing, len(things)) as tell, ended_with_the_run(), pool:
        try:
            running = [pool.submit(work, thing) for thing in things]
            for number, (thing, begun) in enumerate(zip(things, running, strict=True), start=1):
                while wait([begun], timeout=EVERY).not_done:
                    tell(number, name(thing))
            return [begun.result() for begun in running]
        except BaseException:
            # an interrupted run leaves no program behind, not even one that a thread is about to start
            pool.shutdown(wait=False, cancel_futures=True)
            ending = Thread(target=pool.shutdown, daemon=True)
            ending.start()
            while ending.is_alive():
                end_all()
                ending.join(0.02)
            raise


def shown(stream: TextIO) -> bool:
    """Whether a stream can show a line and remove it again."""
    return stream.isatty() and os.environ.get("PRE_COMMIT") != "1" and os.environ.get("TERM") != "dumb"


def _line(lead: str, name: str, stream: TextIO) -> str:
    """Return the line, cut on the left to fit the terminal: the end of a path says most."""
    import shutil

    from kubelint_gpu.messages.display import can_show, cells, visible

    lead += ": " if name else ""
    room = shutil.get_terminal_size((80, 24)).columns - 1 - len(lead)
    text = visible(name, unicode=can_show(stream))
    while cells(text) > max(room, 0):
        text = text[1:]
    return lead + text
