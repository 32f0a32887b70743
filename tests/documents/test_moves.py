"""A key that is moved keeps its text and its comments.

Entries of lists are added and removed, and nothing besides.
"""

from __future__ import annotations

import json

import pytest
from edited import after, changed, data, only, pointers, same, surroundings, texts, written
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kubelint_gpu.documents import items, read
from kubelint_gpu.documents.editing import append, apply, replace_scalar, set_key
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.documents.moves import move_key, remove_entry, replace_key

INNER = ("spec", "containers", 0)


def moved(text, pointer, home, path="a.yaml"):
    item = items(read(path, text.encode()).documents[0])[0]
    return apply(item.document.source, [move_key(item, pointer, home)])


def test_all_comments_go_with_the_key_as_they_stand():
    text = """\
kind: Pod
spec:
  containers:
  - name: a # its name
    # why we tolerate
    tolerations:   # head
    # first
    - operator: "Exists" # yes
      # tail
    # of the image
    image: x
  # of the class
  priorityClassName: serving
"""
    assert (
        moved(text, (*INNER, "tolerations"), ("spec",))
        == """\
kind: Pod
spec:
  containers:
  - name: a # its name
    # of the image
    image: x
  # of the class
  priorityClassName: serving
  # why we tolerate
  tolerations:   # head
  # first
  - operator: "Exists" # yes
    # tail
"""
    )


@pytest.mark.parametrize("end", ["", "\n", "\n---\nkind: Other # next\n"])
@pytest.mark.parametrize("line", ["\n", "\r\n"])
def test_the_last_key_of_all_only_loses_indentation(end, line):
    before = "kind: Pod\nspec:\n  containers:\n  - name: a\n    note: |\n      # text\n\n        in"
    after = "kind: Pod\nspec:\n  containers:\n  - name: a\n  note: |\n    # text\n\n      in"
    assert moved((before + end).replace("\n", line), (*INNER, "note"), ("spec",)) == (after + end).replace("\n", line)


def test_a_key_goes_further_in():
    text = "kind: Pod\n# why\nnodeSelector: # gpus\n  pool: gpu # all\nspec:\n  containers: []"
    after = "kind: Pod\nspec:\n  containers: []\n  # why\n  nodeSelector: # gpus\n    pool: gpu # all"
    assert moved(text, ("nodeSelector",), ("spec",)) == after


@pytest.mark.parametrize(
    "text",
    [
        "kind: Pod\nspec:\n  containers:\n  - tolerations: [] # head\n    name: a\n",
        "kind: Pod\nspec:\n  containers:\n  - tolerations:\n    # head\n    - key: a\n    name: a\n",
        "kind: Pod\nspec:\n  containers:\n  - {name: a, tolerations: [ # head\n    ]}\n",
    ],
)
def test_what_would_lose_a_comment_is_not_moved(text):
    with pytest.raises(NotEditable, match="lose the comment '# head'"):
        moved(text, (*INNER, "tolerations"), ("spec",))


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a:\n  b: 1\n  c: 2\n", "a:\n  b: 1\n  d:\n    e: 3\n"),
        ("a:\n  b: 1\n  c: 2", "a:\n  b: 1\n  d:\n    e: 3"),
        ("a: {b: 1, c: 2}\n", "a: {b: 1, d: {e: 3}}\n"),
        ('{"a": {"b": 1, "c": 2}}', '{"a": {"b": 1, "d": {"e": 3}}}'),
    ],
)
def test_another_key_takes_the_place_of_the_last_one(text, after):
    item = items(read("a.yaml", text.encode()).documents[0])[0]
    assert apply(item.document.source, [replace_key(item, ("a", "c"), ("a", "d"), "e", 3)]) == after


LISTS = """\
a:
  # about x
  - x # the x
  # about y
  - y:
      z: |
        text
    w: 1
  -
    # far below
    v
b:
- 1
- # nothing
-
c: [1, {d: 2}, 3] # flow
e: [
  1,
  2
]
f:
- - 1
  - 2
- - 3
g:
  - only # one
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("pointer", "gone", "added"),
    [
        (("a", 0), ["  - x # the x"], []),
        (("a", 1), ["  - y:", "      z: |", "        text", "    w: 1"], []),
        (("a", 2), ["  -", "    # far below", "    v"], []),
        (("b", 0), ["- 1"], []),
        (("b", 1), ["- # nothing"], []),
        (("b", 2), ["-"], []),
        (("c", 0), ["c: [1, {d: 2}, 3] # flow"], ["c: [{d: 2}, 3] # flow"]),
        (("c", 1), ["c: [1, {d: 2}, 3] # flow"], ["c: [1, 3] # flow"]),
        (("c", 2), ["c: [1, {d: 2}, 3] # flow"], ["c: [1, {d: 2}] # flow"]),
        (("e", 0), ["  1,"], []),
        (("e", 1), ["  1,", "  2"], ["  1"]),
        (("f", 0, 0), ["- - 1", "  - 2"], ["- - 2"]),
        (("f", 0, 1), ["  - 2"], []),
        (("f", 0), ["- - 1", "  - 2"], []),
        (("f", 1), ["- - 3"], []),
        (("f", 1, 0), ["- - 3"], ["- []"]),
        (("g", 0), ["g:", "  - only # one"], ["g: [] # one"]),
    ],
)
def test_remove_entry_takes_the_entry_and_nothing_else(pointer, gone, added, newline):
    text = LISTS.replace("\n", newline)
    item = only(text)
    new = after(item, remove_entry(item, pointer))
    before, behind = text.splitlines(), new.splitlines()
    for line in gone:
        before.remove(line)
    for line in added:
        behind.remove(line)
    assert [line for line in behind if line] == [line for line in before if line]
    assert new.count("\r") == (new.count("\n") if newline == "\r\n" else 0)
    assert only(new).value == removed(only(text).value, pointer)


def removed(value, pointer):
    copy = json.loads(json.dumps(value))
    parent = copy
    for step in pointer[:-1]:
        parent = parent[step]
    del parent[pointer[-1]]
    return copy


def test_items_of_lists_are_edited_in_their_place():
    text = "kind: List\nitems:\n- kind: A\n  r: 1\n- kind: List\n  items:\n  - kind: B\n    r: 1\n"
    (_, second) = items(read("a.yaml", text.encode()).documents[0])
    assert after(second, replace_scalar(second, ("r",), "2")) == text.removesuffix("1\n") + "2\n"
    assert after(second, set_key(second, (), "m", 2)) == text + "    m: 2\n"


@settings(deadline=None)
@given(text=texts, choose=st.data())
def test_a_removed_entry_is_gone_and_no_other_byte(text, choose):
    value, style, newline, comment = text
    source = written(value, style, newline, comment)
    item = only(source)
    found = [pointer for pointer, _ in pointers(value) if pointer and isinstance(pointer[-1], int)]
    assume(found)
    pointer = choose.draw(st.sampled_from(found))
    try:
        edit = remove_entry(item, pointer)
    except NotEditable:
        # The last entry of a list that begins on the line of the list around it; a text whose line ends count.
        assert style == "block"
        return
    result = surroundings(item, edit, source)
    assert same(read("a.yaml", result.encode()).documents[0].value, changed(value, pointer, ...))


@settings(deadline=None)
@given(text=texts, new=st.lists(data, min_size=1, max_size=2), choose=st.data())
def test_appended_values_come_last_and_no_other_byte_changes(text, new, choose):
    value, style, newline, comment = text
    source = written(value, style, newline, comment)
    item = only(source)
    lists = [(pointer, found) for pointer, found in pointers(value) if isinstance(found, list) and found and pointer]
    assume(lists)
    pointer, found = choose.draw(st.sampled_from(lists))
    result = surroundings(item, append(item, pointer, new), source)
    assert same(only(result).value, changed(value, pointer, [*found, *new]))
    if comment and style == "block":
        assert result.count("# x") == source.count("# x")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (
            "a:\n  - key: x # why\n    effect: y\n  # about z\n  - key: z\n# end\n",
            "a:\n  - key: x # why\n    effect: y\n  # about z\n  - key: z\n  - key: new\n    effect: m\n# end\n",
        ),
        ("a:\n- {key: x} # why\n", "a:\n- {key: x} # why\n- {key: new, effect: m}\n"),
        ("a: [{key: x}] # why\n", "a: [{key: x}, {key: new, effect: m}] # why\n"),
        ('{"a": [{"key": "x"}]}', '{"a": [{"key": "x"}, {"key": "new", "effect": "m"}]}'),
        ("a:\n  - key: x", "a:\n  - key: x\n  - key: new\n    effect: m"),
    ],
)
def test_an_appended_entry_is_written_as_its_neighbours(text, result):
    item = only(text)
    assert after(item, append(item, ("a",), [{"key": "new", "effect": "m"}])) == result


@pytest.mark.parametrize("text", ["a: []\n", "a: {}\n", "a: &x [1]\nb: *x\n"])
def test_nothing_is_appended_to_what_is_no_list_of_its_own(text):
    with pytest.raises(NotEditable):
        append(only(text), ("a",), [1])
