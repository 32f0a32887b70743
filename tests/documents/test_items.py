"""The objects of a list."""

from kubelint_gpu.documents import items, read


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
