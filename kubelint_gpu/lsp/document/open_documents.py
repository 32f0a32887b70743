"""The texts that are open in the editor, changed as it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubelint_gpu.documents import source_text
from kubelint_gpu.lsp.document.positions import offset
from kubelint_gpu.values import Value, replace

MAX_CHARACTERS = 4 * 1024 * 1024


class TextChange(Value):
    """A text in place of a range of lines and characters, which count from 0; without a range, of everything."""

    text: str
    range: tuple[int, int, int, int] | None = None


class OpenDocument(Value):
    """A text with the version that the editor gave it."""

    uri: str
    path: str
    version: int
    text: str

    @property
    def too_large(self) -> bool:
        """Whether it is more than can be checked while somebody types."""
        return len(self.text) > MAX_CHARACTERS


class OpenDocuments:
    """All of them, by URI; lines are those that editors count, which end with LF, CR LF or CR and nothing else."""

    def __init__(self) -> None:
        self.encoding = "utf-16"
        self._found: dict[str, OpenDocument] = {}

    def __iter__(self) -> Iterator[OpenDocument]:
        return iter(self._found.values())

    def get(self, uri: str) -> OpenDocument | None:
        """The document of a URI; None where it is not open."""
        return self._found.get(uri)

    def at(self, path: str) -> OpenDocument | None:
        """The document of a path; None where it is not open."""
        return next((found for found in self if found.path == path), None)

    def open(self, uri: str, path: str, version: int, text: str) -> None:
        """A document was opened."""
        self._found[uri] = OpenDocument(uri, path, version, text)

    def close(self, uri: str) -> None:
        """A document was closed; what is on disk counts again."""
        self._found.pop(uri, None)

    def change(self, uri: str, version: int, changes: Iterable[TextChange]) -> None:
        """A document was changed, in the order of the changes."""
        found = self._found.get(uri)
        if found is None:
            return
        text = found.text
        for change in changes:
            text = _changed(text, change, self.encoding)
        self._found[uri] = replace(found, version=version, text=text)


def _changed(text: str, change: TextChange, encoding: str) -> str:
    if change.range is None:
        return change.text
    source = source_text("", text)
    first, character, last, last_character = change.range
    start = offset(source, first, character, encoding)
    end = max(start, offset(source, last, last_character, encoding))
    return text[:start] + change.text + text[end:]
