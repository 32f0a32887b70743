"""Schedules the checks of documents, and controls the checking process.

A document is checked a moment after its last change, one document at a time, always with its present text.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

from kubelint_gpu.lsp.document.open_documents import OpenDocument

DELAY = 0.2
OTHERS_DELAY = 1.0
_GRACE = 1.0
_LONGEST = 60.0
# The import path is passed on: a module in the working directory of the editor must not replace a module of ours.
_START = "import sys; sys.path[:] = sys.argv[1:]; from kubelint_gpu.lsp.worker import main; main()"
_LONGEST_LINE = 1 << 30


class Schedule:
    """The due documents, by URI; a document is due once, even after many changes.

    A check of an outdated text goes on for a second, because most checks take no longer; then it is ended.
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
        """Check a document after a delay in seconds; each call restarts the delay."""
        loop = asyncio.get_running_loop()
        self._due[uri] = loop.time() + delay
        self._news.set()
        if uri == self._running:
            loop.call_at(max(loop.time(), self._started + _GRACE), self._supersede, uri, self._started)

    def drop(self, uri: str) -> None:
        """Cancel the check of a document."""
        self._due.pop(uri, None)
        if uri == self._running:
            self._supersede(uri, self._started)

    async def settled(self, uri: str) -> None:
        """Check the present text of a document at once, and wait for the end."""
        if uri in self._due:
            self._due[uri] = 0.0
            self._news.set()
        async with self._changed:
            await self._changed.wait_for(lambda: uri not in self._due and uri != self._running)

    async def run(self) -> None:
        """Check due documents forever."""
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


class WorkerEnded(Exception):  # noqa: N818 - it names the event
    """The process ended before it answered; `meant` says that this program ended it."""

    def __init__(self, code: int | None, *, meant: bool) -> None:
        super().__init__(f"the checking process ended by itself (exit code {code})")
        self.meant = meant


class WorkerProcess:
    """Asks the checking process one question at a time; starts the process if needed. It knows the open documents."""

    def __init__(self, documents: Callable[[], Iterable[OpenDocument]]) -> None:
        self._documents = documents
        self._process: asyncio.subprocess.Process | None = None
        self._known: dict[str, int] = {}
        self._lock = asyncio.Lock()
        self._asked = 0
        self._ending = False
        self._closed = False

    async def start(self) -> None:
        """Start the process before the first question, so that the first answer comes sooner."""
        async with self._lock:
            await self._running()

    async def ask(self, question: dict[str, Any]) -> Any:
        """Return the answer.

        Raises:
            WorkerEnded: the process was ended, or crashed; the next question starts a new process.
        """
        async with self._lock:
            process = await self._running()
            self._asked += 1
            number = self._asked
            message = {"id": number, "open": self._changed(), **question}
            try:
                return await _answer(process, number, message)
            except (OSError, EOFError, ValueError):
                with suppress(ProcessLookupError):
                    process.kill()
                code = await process.wait()
                self._process = None
                raise WorkerEnded(code, meant=self._ending) from None

    def end(self) -> None:
        """End the process, and with it the present question."""
        self._ending = True
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()

    async def close(self) -> None:
        """End the process for good."""
        self._closed = True
        self.end()
        if self._process is not None:
            await self._process.wait()

    async def _running(self) -> asyncio.subprocess.Process:
        if self._closed:
            raise WorkerEnded(None, meant=True)
        if self._process is not None and self._ending:
            # it was ended after it had answered
            await self._process.wait()
        if self._process is None or self._process.returncode is not None:
            self._known, self._ending = {}, False
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                _START,
                *sys.path,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LONGEST_LINE,
            )
        return self._process

    def _changed(self) -> dict[str, str | None]:
        """Return the open texts that the process does not know yet, by path; None for closed documents."""
        now = {document.path: document for document in self._documents()}
        changed: dict[str, str | None] = {path: None for path in self._known if path not in now}
        changed |= {path: each.text for path, each in now.items() if self._known.get(path) != each.version}
        self._known = {path: document.version for path, document in now.items()}
        return changed


async def _answer(process: asyncio.subprocess.Process, number: int, message: dict[str, Any]) -> Any:
    if process.stdin is None or process.stdout is None:
        raise EOFError
    process.stdin.write(json.dumps(message).encode() + b"\n")
    await process.stdin.drain()
    while line := await process.stdout.readline():
        answer = json.loads(line)
        if answer["id"] == number:
            return answer["result"]
    raise EOFError
