"""A process that checks and answers, as the process that talks to the editor sees it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from kubelint_gpu.lsp.document.open_documents import OpenDocument

# The path of imports is handed over: a module in the folder that the editor was started in must not be taken for ours.
_START = "import sys; sys.path[:] = sys.argv[1:]; from kubelint_gpu.lsp.worker import main; main()"
_LONGEST_LINE = 1 << 30


class WorkerEnded(Exception):  # noqa: N818 - it says what happened
    """The process ended before it answered; `meant` says that this program ended it."""

    def __init__(self, code: int | None, *, meant: bool) -> None:
        super().__init__(f"the checking process ended by itself (exit code {code})")
        self.meant = meant


class WorkerProcess:
    """One question at a time, to a process that is started when it is needed and knows the open documents."""

    def __init__(self, documents: Callable[[], Iterable[OpenDocument]]) -> None:
        self._documents = documents
        self._process: asyncio.subprocess.Process | None = None
        self._known: dict[str, int] = {}
        self._lock = asyncio.Lock()
        self._asked = 0
        self._ending = False
        self._closed = False

    async def start(self) -> None:
        """Start it before the first question, which is then answered sooner."""
        async with self._lock:
            await self._running()

    async def ask(self, question: dict[str, Any]) -> Any:
        """The answer.

        Raises:
            WorkerEnded: the process was ended, or crashed; the next question starts another one.
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
        """End the process, and with it the question that it is at."""
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
            # it was ended when it had answered already
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
        """The open texts that the process does not know yet, by path; None for those that are closed."""
        now = {found.path: found for found in self._documents()}
        changed: dict[str, str | None] = {path: None for path in self._known if path not in now}
        changed |= {path: found.text for path, found in now.items() if self._known.get(path) != found.version}
        self._known = {path: found.version for path, found in now.items()}
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
