"""Bytes of a file, and what is no text."""

import codecs

import pytest
from problems import marked

from kubelint_gpu.documents import read, too_large


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_are_no_part_of_the_text(encoding):
    reading = read("a.yaml", "é: 1\n".encode(encoding))
    assert reading.problems == ()
    assert reading.source.has_bom
    assert reading.source.text == "é: 1\n"
    assert marked(reading.documents[0], ("é",)) == "1"


def test_a_byte_order_mark_within_a_stream_moves_no_position():
    (first, second) = read("a.yaml", b"a: 1\n---\n" + codecs.BOM_UTF8 + b"b: 2\n").documents
    assert first.value == {"a": 1}
    assert second.value == {"b": 2}
    assert marked(second, ("b",)) == "2"


def test_bytes_that_are_no_utf8_are_named_with_their_place():
    reading = read("a.yaml", b"a: 1\nb: \xc3\xa9\xe9\n")
    (found,) = reading.problems
    assert reading.source is None
    assert (found.span.line, found.span.column) == (2, 5)
    assert "0xe9" in found.message


def test_binary_files_are_said_to_be_binary():
    (found,) = read("a.yaml", b"\x7fELF\0\0").problems
    assert "binary" in found.message
    assert found.span is None


def test_a_file_beyond_the_limit_is_not_read():
    reading = read("a.yaml", b"a: 1\n", max_bytes=4)
    assert reading.documents == ()
    assert reading.problems == too_large("a.yaml", 4).problems
    assert read("a.yaml", b"a: 1", max_bytes=4).problems == ()
