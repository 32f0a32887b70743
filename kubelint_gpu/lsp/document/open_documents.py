"""The texts that are open in the editor, with its changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubelint_gpu.documents import source_text
from kubelint_gpu.lsp.document.positions import offset
from kubelint_gpu.values import Value, replace

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
