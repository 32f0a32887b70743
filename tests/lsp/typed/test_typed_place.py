"""Where a position stands in text that is being typed; `|` is the cursor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typed_pod import POD, place

from kubelint_gpu.documents import source_text
from kubelint_gpu.lsp.typed.typed_place import flow_place, typed_place


def word(text):
    found, whole = place(text)
    return found.path, found.role, whole[found.start : found.end]


@pytest.mark.parametrize(
    ("text", "path", "role", "token"),
    [
        (POD + "  nodeSelector:\n    gpu|", ("spec", "nodeSelector"), "key", "gpu"),
        (POD + "  nodeSelector:\n    |", ("spec", "nodeSelector"), "key", ""),
        (POD + "  nodeSelector:\n    |\n  containers: []\n", ("spec", "nodeSelector"), "key", ""),
        (POD + "  nodeSelector:\n  |", ("spec",), "key", ""),
        (POD + "  nodeSelector:\n    zone: |", ("spec", "nodeSelector", "zone"), "value", ""),
        (POD + "  nodeSelector:\n    zone:|", ("spec", "nodeSelector", "zone"), "value", ""),
        (POD + "  nodeSelector:\n    zone: a|b # c", ("spec", "nodeSelector", "zone"), "value", "ab"),
        (POD + '  nodeSelector:\n    "zone": "a|b"', ("spec", "nodeSelector", "zone"), "value", '"ab"'),
        (POD + "  nodeSelector:\n    zo|ne: ab", ("spec", "nodeSelector"), "key", "zone"),
        (POD + "  tolerations:\n  - key: |", ("spec", "tolerations", None, "key"), "value", ""),
        (POD + "  tolerations:\n    - key: |", ("spec", "tolerations", None, "key"), "value", ""),
        (
            POD + "  tolerations:\n  - key: a\n    operator: x|",
            ("spec", "tolerations", None, "operator"),
            "value",
            "x",
        ),
        (POD + "  tolerations:\n  - key: a\n  - key: b|", ("spec", "tolerations", None, "key"), "value", "b"),
        (POD + "  tolerations:\n  - k|", ("spec", "tolerations", None), "element", "k"),
        (POD + "  tolerations: [{key: a, effect: N|}]", ("spec", "tolerations", None, "effect"), "value", "N"),
        (POD + "  tolerations: [{key: a}, {|}]", ("spec", "tolerations", None), "key", ""),
        (POD + "  nodeSelector: {zone: |}", ("spec", "nodeSelector", "zone"), "value", ""),
        (POD + "  nodeSelector: {nvidia.com/g|", ("spec", "nodeSelector"), "key", "nvidia.com/g"),
        (POD + "  nodeSelector: {a: b, c|: d}", ("spec", "nodeSelector"), "key", "c"),
        (POD + "  a:\n  - - b: |", ("spec", "a", None, None, "b"), "value", ""),
        (POD + "---\nspec:\n  priorityClassName: |", ("spec", "priorityClassName"), "value", ""),
        ("kind: |", ("kind",), "value", ""),
        ("|", (), "key", ""),
    ],
)
def test_the_path_and_the_token(text, path, role, token):
    assert word(text) == (path, role, token)


@given(st.text(alphabet="ab:-#'\"{}[],| >&*\n\r\t\u2028é😀", max_size=120), st.integers(0, 120))
def test_any_text_at_any_place_gives_a_place_or_none(text, at):
    found = typed_place(source_text("", text), min(at, len(text)))
    if found is not None:
        assert found.start <= min(at, len(text)) or text[at : found.start].strip() == ""
        assert found.start <= found.end <= len(text)


def in_flow(text):
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
    found, whole = in_flow(text)
    assert [(one.key, one.entries) if one.mapping else None for one in found.levels] == levels
    assert whole[found.start : found.end] == token


@pytest.mark.parametrize("text", ["{a: b} |", "[] # |"])
def test_behind_the_last_bracket_there_is_no_place(text):
    assert in_flow(text)[0] is None


@given(st.text(st.sampled_from("{}[]:, ab\"'"), max_size=12), st.integers(0, 12))
def test_any_text_has_a_place_or_none(text, at):
    at = min(at, len(text))
    found = flow_place("{" + text, 0, at + 1, len(text) + 1)
    assert found is None or 0 <= found.start <= found.end <= len(text) + 1


@pytest.mark.parametrize(
    "text",
    [
        POD + "  # nodeSelector: |",
        POD + "  nodeSelector: # |",
        POD + "  command:\n  - |-\n    key: val|ue".replace("|-", ">-"),
        POD + "  args: >\n    one\n\n    two: |",
        POD + " | nodeSelector: a",
    ],
)
def test_nothing_is_typed_in_comments_and_texts(text):
    assert place(text)[0] is None


def test_a_block_scalar_is_no_yaml():
    text = POD + "  args:\n  - |\n    key: x"
    assert typed_place(source_text("", text), len(text)) is None
