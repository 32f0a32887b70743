"""Edits of YAML inside of YAML change the same value, and no byte outside of the edit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.documents import Item, read
from kubelint_gpu.documents.editing import apply, remove_key, replace_scalar, set_key
from kubelint_gpu.documents.emitter import block_lines
from kubelint_gpu.documents.inline_text import edit_within, span_within
from kubelint_gpu.documents.layout import NotEditable

AT = ("spec", "values")
INNER = """\
# about a
a: 1   # the a

b:
    # deep
    c: [x, y]
    d: {e: f}
g: last
"""


def held(inner, head="|", margin="    ", end="\n"):
    """A document with a text in a literal block, and what was read of both."""
    lines = "".join(f"{margin if line.strip() else ''}{line}" for line in inner.splitlines(keepends=True))
    text = f"# top\nspec:\n  before: [1, 2]\n  values: {head}\n{lines}  after: 2 # end\n"
    (outer,) = read("app.yaml", text.replace("\n", end).encode()).documents
    (found,) = read("app.yaml", outer.value["spec"]["values"].encode()).documents
    return outer, found


def edited(outer, inner, edit):
    return apply(outer.source, [edit_within(outer, AT, inner.source, edit)])


CHANGES = {
    "a scalar": lambda item: replace_scalar(item, ("a",), "22"),
    "a deep scalar": lambda item: replace_scalar(item, ("b", "c", 1), "zz"),
    "a new key at the end": lambda item: set_key(item, (), "new", {"h": {"i": 1}}),
    "a new key inside": lambda item: set_key(item, ("b",), "new", {"h": [1, {"i": 2}]}),
    "a new key at the beginning": lambda item: set_key(item, (), "new", {"h": 1}, before="a"),
    "a new key of a flow mapping": lambda item: set_key(item, ("b", "d"), "new", "x"),
    "a block in place of a scalar": lambda item: set_key(item, (), "a", {"h": {"i": 1}}),
    "a key": lambda item: remove_key(item, ("b", "c")),
    "the last key": lambda item: remove_key(item, ("g",)),
    "a mapping": lambda item: remove_key(item, ("b",)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("head", ["|", "|4", "|2", "| # note", "|-", "|+"])
def test_a_change_in_a_block_is_the_change_of_its_text(head, end, change):
    outer, inner = held(INNER, head, "      " if "4" in head else "    ", end)
    edit = change(Item(inner, (), inner.value))
    after = edited(outer, inner, edit)
    (again,) = read("app.yaml", after.encode()).documents
    assert again.value["spec"] == {**outer.value["spec"], "values": apply(inner.source, [edit])}
    assert ("\r" in after.replace("\r\n", "")) is False
    assert after.count("\r\n") == (after.count("\n") if end == "\r\n" else 0)
    assert not [line for line in after.splitlines() if line != line.rstrip()]
    made = edit_within(outer, AT, inner.source, edit)
    assert after.startswith(outer.source.text[: made.span.start])
    assert after.endswith(outer.source.text[made.span.end :])
    assert made.span.end - made.span.start <= len(inner.source.text)


def test_the_indentation_of_a_new_block_is_that_of_the_text():
    outer, inner = held(INNER)
    after = edited(outer, inner, CHANGES["a new key inside"](Item(inner, (), inner.value)))
    assert after == outer.source.text.replace(
        "        d: {e: f}\n", "        d: {e: f}\n        new:\n          h:\n          - 1\n          - i: 2\n"
    )


@pytest.mark.parametrize("head", ['"a: 1"', "'a: 1'", '"{a: 1}"'])
def test_a_text_on_one_line_takes_what_its_quotes_allow(head):
    outer, inner = held("", head)
    item = Item(inner, (), inner.value)
    assert edited(outer, inner, replace_scalar(item, ("a",), "2")) == outer.source.text.replace("a: 1", "a: 2")
    with pytest.raises(NotEditable):
        edited(outer, inner, replace_scalar(item, ("a",), head[0] + "x" + head[0]))


def test_a_folded_text_is_not_edited():
    outer, inner = held("a: 1\n\nb: 2\n", ">")
    with pytest.raises(NotEditable):
        edited(outer, inner, replace_scalar(Item(inner, (), inner.value), ("b",), "3"))
    assert span_within(outer, AT, inner.source, inner.locate(("b",))) is None


KEYS = st.sampled_from("abcd")
VALUES = st.recursive(
    st.integers(0, 99) | st.sampled_from(["x", "y z", "true", ""]),
    lambda inner: st.dictionaries(KEYS, inner, min_size=1, max_size=3),
    max_leaves=5,
)


@given(
    st.dictionaries(KEYS, VALUES, min_size=1, max_size=4),
    KEYS,
    VALUES,
    st.sampled_from(["|", "|-", "|+"]),
    st.integers(3, 7),
)
def test_any_key_can_be_set(values, key, value, head, margin):
    outer, inner = held("".join(f"{line}\n" for line in block_lines(values)), head, " " * margin)
    edit = set_key(Item(inner, (), inner.value), (), key, value)
    (again,) = read("app.yaml", edited(outer, inner, edit).encode()).documents
    assert again.value["spec"] == {**outer.value["spec"], "values": apply(inner.source, [edit])}
