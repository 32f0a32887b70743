"""Expressions of Go, matched in time that grows with the text."""

from __future__ import annotations

import pytest

from kubelint_gpu.linear import compiled, escaped, matches


@pytest.mark.parametrize(
    ("expression", "text", "found"),
    [
        ("a+", "aaa", True),
        ("a+", "aaab", False),
        ("web|db", "db", True),
        ("(", "(", True),
        ("(", "x", False),
        ("(?=a)a", "a", False),
        ("é.", "éa", True),
    ],
)
def test_the_whole_text_is_matched_and_what_is_no_expression_describes_itself(expression, text, found):
    assert matches(expression, text) is found


def test_what_goes_back_in_other_engines_ends_at_once():
    assert not matches("(a*)*b", "a" * 100_000)


@pytest.mark.parametrize("text", ["a.b", "[x]", "", "日本", "a\ud800"])
def test_an_escaped_text_matches_itself_alone(text):
    assert matches(escaped(text), text)
    assert not matches(escaped(text), f"{text}x")


def test_an_expression_that_needs_too_much_memory_is_none():
    assert compiled("(((x{100}){100}){100}){100}") is None
