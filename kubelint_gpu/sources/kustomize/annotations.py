"""The annotations that the wrapper asks for: read, and taken out of the text again."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.documents import Document, Reading, read
from kubelint_gpu.sources.files import SKIMMED

ORIGIN = "config.kubernetes.io/origin"
_TRANSFORMATIONS = "alpha.config.kubernetes.io/transformations"
_HOME = ("metadata", "annotations")


def without_annotations(path: str, data: bytes, most: int) -> tuple[Reading, tuple[str, ...]]:
    """What Kustomize printed without the annotations, and for each document the file that it says it comes from.

    The file is as Kustomize names it, empty for what a generator made.
    """
    reading = read(path, data, max_bytes=most, skimmed=SKIMMED)
    if reading.source is None:
        return reading, ()
    origins: list[str] = []
    pieces: list[str] = []
    text, at = reading.source.text, 0
    for document in reading.documents:
        origins.append(_origin(document))
        for start, end in _lines(document):
            pieces.append(text[at:start])
            at = end
    if not at:
        return reading, tuple(origins)
    pieces.append(text[at:])
    return read(path, "".join(pieces).encode(), max_bytes=most, skimmed=SKIMMED), tuple(origins)


def _origin(document: Document) -> str:
    text = _annotations(document).get(ORIGIN)
    found = read("", text.encode(errors="replace")).documents if isinstance(text, str) else ()
    value = found[0].value if found else None
    path = value.get("path") if isinstance(value, dict) else None
    return path if isinstance(path, str) else ""


def _lines(document: Document) -> list[tuple[int, int]]:
    """The whole lines to be taken out; Kustomize prints mappings over several lines."""
    annotations = _annotations(document)
    mine = [name for name in (_TRANSFORMATIONS, ORIGIN) if name in annotations]
    if not mine:
        return []
    pointers = [_HOME] if len(mine) == len(annotations) else [(*_HOME, name) for name in mine]
    found = []
    for pointer in pointers:
        node = document.node(pointer)
        if node is not None:
            found.append(_whole_lines(document, node[3], node[1]))
    return sorted(found)


def _whole_lines(document: Document, start: int, end: int) -> tuple[int, int]:
    source = document.source
    first = source.line_starts[source.span(start, start).line - 1]
    last = source.span(max(start, end - 1), max(start, end - 1)).line
    following = source.line_starts[last] if last < len(source.line_starts) else len(source.text)
    return first, following


def _annotations(document: Document) -> dict[str, Any]:
    meta = document.value.get("metadata") if isinstance(document.value, dict) else None
    found = meta.get("annotations") if isinstance(meta, dict) else None
    return found if isinstance(found, dict) else {}
