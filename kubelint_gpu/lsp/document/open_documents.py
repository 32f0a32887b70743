"""The texts that are open in the editor, with its changes, and files as it has them: open, else as they are on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from kubelint_gpu.documents import Reading, read, source_text
from kubelint_gpu.lsp.document.positions import offset
from kubelint_gpu.sources.files import SKIMMED, collect
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.deciding import words_in
from kubelint_gpu.workspace.shared_objects import SHARED

MAX_CHARACTERS = 4 * 1024 * 1024


class TextChange(Value):
    """A new text for a range of lines and characters, counted from 0; without a range, for the whole text."""

    text: str
    range: tuple[int, int, int, int] | None = None


class OpenDocument(Value):
    """A text with its version in the editor."""

    uri: str
    path: str
    version: int
    text: str

    @property
    def too_large(self) -> bool:
        """Whether the text is too large to be checked while a user types."""
        return len(self.text) > MAX_CHARACTERS


class OpenDocuments:
    """The open documents, by URI. Lines end with LF, CR LF or CR and nothing else, as in editors."""

    def __init__(self) -> None:
        self.encoding = "utf-16"
        self._found: dict[str, OpenDocument] = {}

    def __iter__(self) -> Iterator[OpenDocument]:
        return iter(self._found.values())

    def get(self, uri: str) -> OpenDocument | None:
        """Return the document of a URI; None if it is not open."""
        return self._found.get(uri)

    def at(self, path: str) -> OpenDocument | None:
        """Return the document of a path; None if it is not open."""
        return next((document for document in self if document.path == path), None)

    def open(self, uri: str, path: str, version: int, text: str) -> None:
        """Add an opened document."""
        self._found[uri] = OpenDocument(uri, path, version, text)

    def close(self, uri: str) -> None:
        """Remove a closed document; its file on disk counts again."""
        self._found.pop(uri, None)

    def change(self, uri: str, version: int, changes: Iterable[TextChange]) -> None:
        """Apply changes to a document, in their order."""
        document = self._found.get(uri)
        if document is None:
            return
        text = document.text
        for change in changes:
            text = _changed(text, change, self.encoding)
        self._found[uri] = replace(document, version=version, text=text)


def _changed(text: str, change: TextChange, encoding: str) -> str:
    if change.range is None:
        return change.text
    source = source_text("", text)
    first, character, last, last_character = change.range
    start = offset(source, first, character, encoding)
    end = max(start, offset(source, last, last_character, encoding))
    return text[:start] + change.text + text[end:]


_MOST_KEPT = 4000


class Texts:
    """The open texts by absolute path, and the latest readings.

    Paths in readings are as printed: relative to the working directory.
    """

    def __init__(self) -> None:
        self._open: dict[str, str] = {}
        self._number = 0
        self._versions: dict[str, int] = {}
        self._read: dict[str, tuple[object, Reading]] = {}
        self._words: dict[str, tuple[object, frozenset[str]]] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._open)

    def update(self, changed: Mapping[str, str | None]) -> None:
        """Store the changes of the editor; None for a closed text."""
        for path, text in changed.items():
            self._number += 1
            self._versions[path] = self._number
            if text is None:
                self._open.pop(path, None)
            else:
                self._open[path] = text

    def text(self, path: str) -> str:
        """Return the open text of an absolute path; empty if it is not open."""
        return self._open.get(path, "")

    def version(self, path: str) -> object:
        """Return a key that changes whenever the contents of an absolute path change; None if there is no file."""
        if path in self._open:
            return self._versions[path]
        try:
            found = Path(path).stat()
        except (OSError, ValueError):
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def words(self, path: str) -> frozenset[str]:
        """Return the kinds in a file that other files see, its names, and whether it has containers."""
        version = self.version(path)
        known = self._words.get(path)
        if known is not None and version is not None and known[0] == version:
            return known[1]
        text = self._open.get(path)
        if text is None:
            collected = collect([path]) if version is not None else None
            data = collected.files[0].data if collected is not None and collected.files else b""
            text = data.decode("utf-8", "replace")
        words = words_in(text).union(kind for kind in SHARED if kind in text)
        self._words[path] = (version, words)
        return words

    def reading(self, path: str, shown: str) -> Reading | None:
        """Return the reading of an absolute path; None if there is no file."""
        version = self.version(path)
        known = self._read.get(path)
        if known is not None and version is not None and known[0] == (shown, version):
            return known[1]
        reading = self._fresh(path, shown)
        if reading is not None:
            if len(self._read) >= _MOST_KEPT:
                self._read.clear()
            self._read[path] = ((shown, version), reading)
        return reading

    def _fresh(self, path: str, shown: str) -> Reading | None:
        text = self._open.get(path)
        if text is not None:
            # a lone surrogate has no bytes; its replacement is as wide
            return read(shown, text.encode(errors="replace"), skimmed=SKIMMED)
        collected = collect([path]) if Path(path).is_file() else None
        return read(shown, collected.files[0].data, skimmed=SKIMMED) if collected and collected.files else None


def absolute(path: str) -> str:
    """Return the real path of a path relative to the working directory."""
    return os.path.realpath(path)
