"""Columns in units of each encoding, and texts that change in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.documents import source_text
from kubelint_gpu.lsp.document.positions import offset, position

LINES = "a\u2028b é\r\n😀: x\n\x0bc\r\rlast"
ENCODINGS = ("utf-8", "utf-16", "utf-32")


def test_an_emoji_takes_four_two_and_one():
    source = source_text("", "a: 😀 # x")
    assert [position(source, 1, 6, encoding)["character"] for encoding in ENCODINGS] == [8, 6, 5]
    assert [offset(source, 0, number, encoding) for number, encoding in zip((8, 6, 5), ENCODINGS, strict=True)] == [
        5,
        5,
        5,
    ]


def test_lines_end_with_lf_crlf_and_cr_only():
    source = source_text("", LINES)
    assert [offset(source, line, 0, "utf-16") for line in range(6)] == [0, 7, 12, 15, 16, 20]


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=st.text(max_size=60), at=st.integers(0, 60))
def test_there_and_back(encoding, text, at):
    source = source_text("", text)
    at = min(at, len(text))
    span = source.span(at, at)
    if span.column - 1 > len(source.line(span.line)):
        return  # between CR and LF is no place
    there = position(source, span.line, span.column, encoding)
    assert offset(source, there["line"], there["character"], encoding) == at
