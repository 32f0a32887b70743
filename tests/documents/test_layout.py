"""How a value is laid out where it has no lines of its own."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import items, read
from kubelint_gpu.documents.editing import apply
from kubelint_gpu.documents.moves import move_key

INNER = ("spec", "containers", 0)


def moved(text, pointer, home, path="a.yaml"):
    item = items(read(path, text.encode()).documents[0])[0]
    return apply(item.document.source, [move_key(item, pointer, home)])


@pytest.mark.parametrize(
    "text",
    [
        "kind: Pod\nspec:\n  containers:\n  - tolerations: [{key: a}]\n    name: a\n",
        "kind: Pod\nspec:\n  containers: [{tolerations: [{key: a}], name: a}]\n",
        "kind: Pod\nspec: {containers: [{tolerations: [{key: a}], name: a}]}\n",
        '{"kind": "Pod", "spec": {"containers": [{"name": "a", "tolerations": [{"key": "a"}]}]}}\n',
        "kind: Pod\nspec:\n  containers:\n  - tolerations: [{key: a}]\n",
    ],
)
def test_what_has_no_lines_of_its_own_is_written_anew(text):
    path = "a.json" if text.startswith("{") else "a.yaml"
    before = read(path, text.encode()).documents[0].value
    after = read(path, moved(text, (*INNER, "tolerations"), ("spec",), path).encode()).documents[0].value
    tolerations = before["spec"]["containers"][0].pop("tolerations")
    before["spec"]["tolerations"] = tolerations
    assert after == before
