"""Text as a terminal may show it."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.messages.display import can_show, cells, tab_stop, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\tb\r\n", "a\\tb\\r\\n"),
        ("\u202e", "\\u202e"),
        ("\U000e0001", "\\U000e0001"),
        ("\ud800", "\\ud800"),
        ("é", "é"),
    ],
)
def test_what_could_steer_a_terminal_is_written_out(text, shown):
    assert visible(text) == shown


@given(st.text())
def test_what_is_shown_is_printable_and_ascii_where_asked(text):
    assert visible(text).isprintable()
    assert visible(text, unicode=False).isascii()


@pytest.mark.parametrize(("text", "count"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("", 0)])
def test_wide_characters_take_two_cells_and_combining_ones_none(text, count):
    assert cells(text) == count


def test_tab_stops_are_every_four_cells():
    assert [tab_stop(cell) for cell in range(5)] == [4, 3, 2, 1, 4]


@pytest.mark.parametrize(
    ("encoding", "shown"), [("utf-8", True), ("UTF_16", True), ("ascii", False), ("latin-1", False)]
)
def test_a_stream_shows_more_than_ascii_where_its_encoding_is_of_unicode(encoding, shown):
    assert can_show(io.TextIOWrapper(io.BytesIO(), encoding=encoding)) is shown
    assert unicodedata.category("\u202e") == "Cf"
