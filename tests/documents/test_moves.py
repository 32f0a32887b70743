"""A key that is moved keeps its text and its comments."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import items, read
from kubelint_gpu.documents.editing import apply
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.documents.moves import move_key, replace_key

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
