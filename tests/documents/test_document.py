"""The objects and the comments of a document."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import comments, items, read


def kinds(text):
    return [
        (item.value["kind"], item.pointer)
        for document in read("a.yaml", text.encode()).documents
        for item in items(document)
    ]


def test_lists_are_taken_apart_and_their_items_keep_their_place():
    text = """
apiVersion: v1
kind: List
items:
- kind: A
- apiVersion: v1
  kind: RoleList
  items:
  - kind: B
  - metadata: {name: c}
- text
- kind: D
---
kind: E
---
- kind: F
---
kind: ConfigMapList
items:
---
kind: PlayList
tracks: []
---
"""
    assert kinds(text) == [
        ("A", ("items", 0)),
        ("B", ("items", 1, "items", 0)),
        ("Role", ("items", 1, "items", 1)),
        ("D", ("items", 3)),
        ("E", ()),
        ("PlayList", ()),
    ]
    found = items(read("a.yaml", text.encode()).documents[0])
    assert found[2].value == {"apiVersion": "v1", "kind": "Role", "metadata": {"name": "c"}}
    assert found[2].locate(("metadata", "name")).line == 10
    assert found[2].locate(("spec",)).line == 10
    assert found[2].present(("metadata", "name"))
    assert not found[2].present(("kind",))


TEXT = """\
# top
a: b # after a value
"c#d": 'e # no' # yes
f: "# no" #also
g: | # header
  # no
  text # no
# between
h: >-
  # no

  # no
i: x#no
j: [1, # in flow
  2,# tight
  '#']
k: 1
l: !foo 1
m: multi
  line #end
  #
--- # separator
n: 1
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("pure", [False, True])
def test_only_comments_are_comments(newline, pure):
    found = comments(read("a.yaml", TEXT.replace("\n", newline).encode(), pure=pure))
    assert [(comment.line, comment.column, comment.text) for comment in found] == [
        (1, 1, "# top"),
        (2, 6, "# after a value"),
        (3, 17, "# yes"),
        (4, 11, "#also"),
        (5, 6, "# header"),
        (8, 1, "# between"),
        (14, 8, "# in flow"),
        (15, 5, "# tight"),
        (20, 8, "#end"),
        (21, 3, "#"),
        (22, 5, "# separator"),
    ]


def test_offsets_lead_to_the_hash():
    reading = read("a.yaml", "\ufeffa: é # x\n".encode())
    (found,) = comments(reading)
    assert reading.source.text[found.offset] == "#"
    assert found.column == 6


def test_a_comment_ends_where_kubectl_ends_it():
    (found,) = comments(read("a.yaml", "a: 1 # x\u2028b: 2\n".encode()))
    assert found.text == "# x"


def test_broken_documents_have_no_comments_and_spoil_none():
    found = comments(read("a.yaml", b"a: 1 # one\n---\nb: 'x # two\n---\nc: 1 # three\n"))
    assert [comment.text for comment in found] == ["# one", "# three"]


def test_bytes_that_are_no_text_have_none():
    assert comments(read("a.yaml", b"#\0")) == ()


def test_json_has_none():
    assert comments(read("a.json", b'{"a": "# no"}')) == ()
