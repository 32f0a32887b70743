"""JSON as the reports write it."""

from __future__ import annotations

import io
import json

import pytest

from kubelint_gpu.report.dump import array, dump


@pytest.mark.parametrize("value", [{"a": [1, None, "é"]}, "tab\t", "\x7f\u202e\ufeff", [], "\U0001f600"])
def test_what_is_written_is_read_again_as_it_was(value):
    for indent in (None, 2):
        assert json.loads(dump(value, indent=indent)) == value


@pytest.mark.parametrize("char", ["\x7f", "\x85", "\u200b", "\u2028", "\u202e", "\u2066", "\ufeff"])
def test_characters_that_steer_or_hide_are_escaped(char):
    assert char not in dump([char])
    assert dump([char]) == f'["\\u{ord(char):04x}"]'


def test_half_of_a_surrogate_pair_becomes_the_replacement_character():
    assert dump("a\ud800").encode() == '"a\ufffd"'.encode()


def test_lines_after_the_first_are_moved_right():
    assert dump({"a": 1}, indent=2, margin=4) == '{\n      "a":1\n    }'.replace('":1', '": 1')
    assert dump({"a": 1}, margin=4) == '{"a": 1}'


@pytest.mark.parametrize("values", [[], [1], [{"a": 1}, "b", [2]]])
def test_an_array_value_by_value_is_the_array(values):
    out = io.StringIO()
    for part in array(values, indent=2):
        out.write(part)
    assert json.loads(out.getvalue()) == values
