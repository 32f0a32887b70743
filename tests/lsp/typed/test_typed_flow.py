"""Where a position stands inside of brackets on one line; `|` is the cursor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.lsp.typed.typed_flow import flow_place


def place(text):
    at = text.index("|")
    whole = text.replace("|", "", 1)
    return flow_place(whole, 0, at, len(whole)), whole


@pytest.mark.parametrize(
    ("text", "levels", "token"),
    [
        ("{|", [(None, {})], ""),
        ("{a: b|}", [("a", {})], "b"),
        ("{a: b, c|: d}", [(None, {"a": "b"})], "c"),
        ("{key: a, operator: |}", [("operator", {"key": "a"})], ""),
        ("[{a: [x, |y]}]", [None, ("a", {}), None], "y"),
        ("{a: {b: c}, d: |", [("d", {})], ""),
    ],
)
def test_the_brackets_around_a_position_and_its_token(text, levels, token):
    found, whole = place(text)
    assert [(one.key, one.entries) if one.mapping else None for one in found.levels] == levels
    assert whole[found.start : found.end] == token


@pytest.mark.parametrize("text", ["{a: b} |", "[] # |"])
def test_behind_the_last_bracket_there_is_no_place(text):
    assert place(text)[0] is None


@given(st.text(st.sampled_from("{}[]:, ab\"'"), max_size=12), st.integers(0, 12))
def test_any_text_has_a_place_or_none(text, at):
    at = min(at, len(text))
    found = flow_place("{" + text, 0, at + 1, len(text) + 1)
    assert found is None or 0 <= found.start <= found.end <= len(text) + 1
