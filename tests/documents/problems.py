"""What reading a document gives."""

from __future__ import annotations

from kubelint_gpu.documents import read


def values(text, *, pure=False, path="a.yaml"):
    reading = read(path, text.encode(), pure=pure)
    assert reading.problems == ()
    return [document.value for document in reading.documents]


def problem(text, *, pure=False, path="a.yaml"):
    reading = read(path, text.encode(), pure=pure)
    assert len(reading.problems) == 1, reading.problems
    return reading.problems[0]


def marked(document, pointer, role="value"):
    """The text that a place covers, after checking that lines and columns say the same as offsets."""
    span = document.locate(pointer, role)
    lines = document.source.text.replace("\r\n", "\n\n").replace("\r", "\n").split("\n")
    if "\r\n" not in document.source.text:
        start = sum(len(line) + 1 for line in lines[: span.line - 1]) + span.column - 1
        end = sum(len(line) + 1 for line in lines[: span.end_line - 1]) + span.end_column - 1
        assert (start, end) == (span.start, span.end)
    return document.source.text[span.start : span.end]
