"""The session of one editor: its documents, their findings, and the two processes that check and answer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from kubelint_gpu.lsp.document.diagnostics import ERROR, INFORMATION, plain
from kubelint_gpu.lsp.document.open_documents import MAX_CHARACTERS, OpenDocument, OpenDocuments, TextChange
from kubelint_gpu.lsp.worker_process import DELAY, OTHERS_DELAY, Schedule, WorkerEnded, WorkerProcess
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.project.configuration import NAME

Diagnostics = list[dict[str, Any]]
_ANSWER_LASTS = 15.0
_LOOK_EVERY = 2.0


class SessionSettings(Value):
    """The inventories and the configuration of the command line, as absolute paths; they replace discovered files."""

    inventories: tuple[str, ...] = ()
    config: str = ""
    isolated: bool = False


class Session:
    """Receives the messages of the editor; `publish` takes the diagnostics of a path, with their version."""

    def __init__(
        self,
        settings: SessionSettings,
        publish: Callable[[str, int | None, Diagnostics], None],
        log: Callable[[str], None],
    ) -> None:
        self.documents = OpenDocuments()
        self.folders: tuple[str, ...] = ()
        self.found: dict[str, tuple[int, Diagnostics]] = {}
        self._settings = settings
        self._publish = publish
        self._log = log
        self._checker = WorkerProcess(self._readable)
        self._answerer = WorkerProcess(self._readable)
        self._schedule = Schedule(self._check, self._checker.end, self._too_long)
        self._deciding: dict[str, frozenset[str]] = {}
        self._shown: dict[str, Diagnostics] = {}
        self._stamps: dict[str, dict[str, object]] = {}
        self._fresh = False
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self) -> None:
        """Start the processes and the checks."""
        for coroutine in (self._schedule.run(), self._look(), self._checker.start(), self._answerer.start()):
            self._tasks.append(asyncio.ensure_future(coroutine))

    async def end(self) -> None:
        """End all started processes and tasks."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(self._checker.close(), self._answerer.close())

    def opened(self, uri: str, path: str, version: int, text: str) -> None:
        """Handle an opened document."""
        self.documents.open(uri, path, version, text)
        self._schedule.ask(uri, 0)
        self._others(uri)

    def changed(self, uri: str, version: int, changes: Iterable[TextChange]) -> None:
        """Handle a changed document."""
        self.documents.change(uri, version, changes)
        if self.documents.get(uri) is not None:
            self._schedule.ask(uri)
            self._others(uri)

    def closed(self, uri: str) -> None:
        """Handle a closed document: hide its diagnostics, unless it decides about open documents."""
        document = self.documents.get(uri)
        if document is None:
            return
        self.documents.close(uri)
        self._schedule.drop(uri)
        self.found.pop(uri, None)
        self._deciding.pop(uri, None)
        self._stamps.pop(uri, None)
        self._shown.pop(document.path, None)
        self._publish(document.path, None, [])
        self._forget()
        self._others(uri)

    def disturbed(self) -> None:
        """Handle changed files on disk."""
        self._fresh = True
        for document in self.documents:
            self._schedule.ask(document.uri, DELAY)

    async def current(self, uri: str) -> Diagnostics:
        """Return the diagnostics of the present text of a document; none if it is not open."""
        if self.documents.get(uri) is None:
            return []
        await asyncio.wait_for(self._schedule.settled(uri), _ANSWER_LASTS)
        document = self.documents.get(uri)
        version, found = self.found.get(uri, (None, []))
        return found if document is not None and version == document.version else []

    async def ask(self, uri: str, what: str, **more: Any) -> Any:
        """Return an answer about a document; None if none comes in time."""
        document = self.documents.get(uri)
        if document is None or document.too_large:
            return None
        try:
            question = {**self._question(document), "do": what, **more}
            answer = await asyncio.wait_for(self._answerer.ask(question), _ANSWER_LASTS)
        except asyncio.TimeoutError:
            self._answerer.end()
            self._log(f"{what} took longer than {_ANSWER_LASTS:g} s and was ended")
            return None
        except WorkerEnded as ended:
            if not ended.meant:
                self._log(f"{what}: {ended}")
            return None
        if isinstance(answer, dict) and "failed" in answer:
            self._log(f"{what} failed: {answer['failed']}; please report it")
            return None
        return answer

    def _readable(self) -> list[OpenDocument]:
        return [document for document in self.documents if not document.too_large]

    def _question(self, document: OpenDocument) -> dict[str, Any]:
        inside = [folder for folder in self.folders if Path(document.path).is_relative_to(folder)]
        return {
            "path": document.path,
            "folder": max(inside, key=len, default=_existing(Path(document.path).parent)),
            "inventories": self._settings.inventories,
            "config": self._settings.config,
            "isolated": self._settings.isolated,
            "encoding": self.documents.encoding,
        }

    def _others(self, uri: str) -> None:
        """Check the other documents after a pause in typing; at once if this document decides about them."""
        document = self.documents.get(uri)
        path = document.path if document is not None else ""
        decides = Path(path).name == NAME or any(path in paths for paths in self._deciding.values())
        for other in self.documents:
            if other.uri != uri:
                self._schedule.ask(other.uri, DELAY if decides else OTHERS_DELAY)

    async def _check(self, uri: str) -> None:
        document = self.documents.get(uri)
        if document is None:
            return
        if document.too_large:
            most = f"{MAX_CHARACTERS / 2**20:g} million characters"
            message = f"not checked while you type: the file has more than {most}; kubelint-gpu check reads it"
            self._take(document, {document.path: [plain(message, INFORMATION)]})
            return
        question = {**self._question(document), "do": "check", "fresh": self._fresh}
        self._fresh = False
        stamps = {path: _stamp(path) for path in self._deciding.get(uri, ())}
        try:
            answer = await self._checker.ask(question)
        except WorkerEnded as ended:
            if not ended.meant:
                self._log(str(ended))
                self._take(document, {document.path: [plain(f"not checked: {ended}", ERROR)]})
            return
        if "failed" in answer:
            problem = f"internal error: {answer['failed']}; please report it"
            self._log(problem)
            answer = {document.path: [plain(problem, ERROR)]}
        self._stamps[uri] = {path: stamps.get(path) or _stamp(path) for path in answer if path != document.path}
        self._take(document, answer)
        await self._check_saved(document, answer)

    async def _check_saved(self, document: OpenDocument, answer: dict[str, Diagnostics]) -> None:
        """Show the findings of the command line for a saved document, in place of those for the typed text."""
        try:
            saved = await self._checker.ask({**self._question(document), "do": "saved"})
        except WorkerEnded as ended:
            if not ended.meant:
                self._log(f"saved: {ended}")
            return
        if "failed" in saved:
            self._log(f"the check of what is saved failed: {saved['failed']}; please report it")
            return
        # the diagnostics of another open document come from its own check
        mine = {path: found for path, found in saved.items() if self.documents.at(path) in (None, document)}
        if {**answer, **mine} != answer:
            self._take(document, {**answer, **mine})

    def _too_long(self, uri: str, seconds: float) -> None:
        document = self.documents.get(uri)
        # the diagnostics of the typed text stay
        if document is not None and self.found.get(uri, (None,))[0] != document.version:
            message = f"not checked: it took longer than {seconds:g} s; kubelint-gpu check goes on to the end"
            self._take(document, {document.path: [plain(message, INFORMATION)]})

    def _take(self, document: OpenDocument, files: dict[str, Diagnostics]) -> None:
        """Show the diagnostics, unless the text has changed since."""
        now = self.documents.get(document.uri)
        if now is None or now.version != document.version:
            return
        mine = files.get(document.path, [])
        self.found[document.uri] = (document.version, mine)
        self._shown[document.path] = mine
        self._publish(document.path, document.version, mine)
        self._deciding[document.uri] = frozenset(files) - {document.path}
        for path in self._deciding[document.uri]:
            if self._shown.get(path) != files[path]:
                self._shown[path] = files[path]
                self._publish(path, None, files[path])
        self._forget()

    def _forget(self) -> None:
        """Hide the diagnostics of files that no longer decide about an open document."""
        deciding = frozenset().union(*self._deciding.values()) | {document.path for document in self.documents}
        for path in [path for path in self._shown if path not in deciding]:
            if self._shown.pop(path):
                self._publish(path, None, [])

    async def _look(self) -> None:
        """Notice changes on disk of deciding files, even if the editor does not report them."""
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            for uri, stamps in self._stamps.items():
                if self.documents.get(uri) is not None and any(_stamp(path) != was for path, was in stamps.items()):
                    self._schedule.ask(uri)


def _stamp(path: str) -> object:
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _existing(folder: Path) -> str:
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return os.fspath(folder)
