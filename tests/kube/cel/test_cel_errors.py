"""Errors of expressions, as the API server writes them."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.cel.cel_errors import Issue, compile_error, position


@pytest.mark.parametrize(("offset", "place"), [(0, (1, 1)), (2, (1, 3)), (4, (2, 1)), (5, (2, 2))])
def test_an_offset_has_a_line_and_a_column(offset, place):
    assert position("abc\ndef", offset) == place


def test_issues_stand_in_the_order_of_the_text_those_of_no_place_first():
    error = compile_error("a\nbc", [Issue(3, "third"), Issue(0, "first"), Issue(None, "nowhere")])
    assert [one.message for one in error.issues] == ["nowhere", "first", "third"]
    assert str(error).startswith("compilation failed: ERROR: <input>:-1:0: nowhere\nERROR: <input>:1:1: first")
    assert (error.line, error.column) == (1, 1)


def test_a_caret_stands_below_the_place():
    error = compile_error("x == yy", [Issue(5, "undeclared")])
    assert error.text == "compilation failed: ERROR: <input>:1:6: undeclared\n | x == yy\n | .....^"
    assert (error.line, error.column) == (1, 6)


def test_wide_characters_have_wide_dots_and_carets():
    assert compile_error("日本", [Issue(1, "x")]).text.endswith(" | 日本\n | \uff0e\uff3e")
    assert compile_error("日", [Issue(1, "end")]).text.endswith(" | \uff0e^")
