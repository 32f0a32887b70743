"""A run that is told to end puts away what it has begun: its programs and its temporary files."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


@contextmanager
def ended_with_the_run() -> Iterator[None]:
    """Within, SIGTERM and SIGHUP raise an exception as an interrupt does; one that is ignored stays so."""
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
