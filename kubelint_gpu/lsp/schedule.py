"""When documents are checked: a moment after the last change, one at a time, the text that is there and no other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

DELAY = 0.2
OTHERS_DELAY = 1.0
_GRACE = 1.0
_LONGEST = 60.0


class Schedule:
    """What is due, by URI; however often a document is changed, it is due once.

    A check whose text has changed goes on for a second, as most do not take longer; then it is ended.
    """

    def __init__(
        self, check: Callable[[str], Awaitable[None]], end: Callable[[], None], too_long: Callable[[str, float], None]
    ) -> None:
        self._check = check
        self._end = end
        self._too_long = too_long
        self._due: dict[str, float] = {}
        self._running = ""
        self._started = 0.0
        self._changed = asyncio.Condition()
        self._news = asyncio.Event()

    def ask(self, uri: str, delay: float = DELAY) -> None:
        """Check a document after a delay in seconds, which begins anew each time."""
        loop = asyncio.get_running_loop()
        self._due[uri] = loop.time() + delay
        self._news.set()
        if uri == self._running:
            loop.call_at(max(loop.time(), self._started + _GRACE), self._supersede, uri, self._started)

    def drop(self, uri: str) -> None:
        """Check a document no more."""
        self._due.pop(uri, None)
        if uri == self._running:
            self._supersede(uri, self._started)

    async def settled(self, uri: str) -> None:
        """Wait until the text of a document, as it is now, is checked; begin at once."""
        if uri in self._due:
            self._due[uri] = 0.0
            self._news.set()
        async with self._changed:
            await self._changed.wait_for(lambda: uri not in self._due and uri != self._running)

    async def run(self) -> None:
        """Check what is due, for ever."""
        while True:
            uri = await self._next()
            self._running, self._started = uri, asyncio.get_running_loop().time()
            task = asyncio.ensure_future(self._check(uri))
            try:
                await asyncio.wait({task}, timeout=_LONGEST)
                if not task.done():
                    self._end()
                    await asyncio.wait({task})
                    self._too_long(uri, _LONGEST)
            finally:
                self._running = ""
            async with self._changed:
                self._changed.notify_all()

    async def _next(self) -> str:
        loop = asyncio.get_running_loop()
        while True:
            self._news.clear()
            first = min(self._due, key=self._due.__getitem__, default=None)
            if first is not None and self._due[first] <= loop.time():
                del self._due[first]
                return first
            wait = None if first is None else self._due[first] - loop.time()
            try:
                await asyncio.wait_for(self._news.wait(), wait)
            except asyncio.TimeoutError:
                continue

    def _supersede(self, uri: str, started: float) -> None:
        if self._running == uri and self._started == started:
            self._end()
