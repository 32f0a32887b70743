"""Configurations that an earlier run has parsed: what they hold is looked at anew, what is wrong needs the text."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.documents import MAX_BYTES, Document, Pointer, SourceText, Span, read
from kubelint_gpu.documents.reader import decode
from kubelint_gpu.workspace.project.kept.known_files import program

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store
    from kubelint_gpu.documents import Role


class KnownDocument:
    """The only document of a file: its value and where its keys stand; for other places it is parsed."""

    def __init__(self, source: SourceText, data: bytes, value: Any, keys: dict[str, list[int]]) -> None:
        self.source = source
        self.value = value
        self._data = data
        self._keys = keys

    def locate(self, pointer: Pointer, role: Role = "value") -> Span:
        """The place of a part of the value."""
        if len(pointer) == 1 and role == "key" and pointer[0] in self._keys:
            return Span(*self._keys[str(pointer[0])])
        return self._document.locate(pointer, role)

    @cached_property
    def _document(self) -> Document:
        return next(one for one in read(self.source.path, self._data).documents if one.value is not None)


def known_document(store: Store, path: str, data: bytes) -> KnownDocument | None:
    """The document of a configuration; None where it is none without problems, which is then read as if nothing were
    known.
    """
    source = decode(path, data) if len(data) <= MAX_BYTES else None
    if not isinstance(source, SourceText):
        return None
    key = digest_of(("configuration", program(), data))
    text = store.get(key)
    if text is not None:
        try:
            value, keys = json.loads(text)
            return KnownDocument(source, data, value, {str(name): list(map(int, span)) for name, span in keys.items()})
        except (ValueError, TypeError, AttributeError, RecursionError):
            pass
    reading = read(path, data)
    documents = [one for one in reading.documents if one.value is not None]
    if reading.problems or len(documents) != 1 or not isinstance(documents[0].value, dict):
        return None
    value = documents[0].value
    spans = {name: documents[0].locate((name,), "key") for name in value}
    keys = {
        name: [one.line, one.column, one.end_line, one.end_column, one.start, one.end] for name, one in spans.items()
    }
    try:
        made = json.dumps([value, keys])
        if json.loads(made) == [value, keys]:
            store.put(key, made)
    except (ValueError, TypeError):
        pass
    return KnownDocument(source, data, value, keys)
