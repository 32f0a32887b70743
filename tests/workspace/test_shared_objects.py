"""What a file has to do with the shared objects of a run."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.workspace.shared_objects import outline

POD = "apiVersion: v1\nkind: Pod\nmetadata: {{name: a, namespace: {}}}\n"


@pytest.mark.parametrize(
    ("space", "needs"),
    [("serving", "Namespace/serving"), ("null", "Namespace/default"), ("[a]", "Namespace"), ("{a: b}", "Namespace")],
)
def test_an_object_needs_its_namespace_or_any_where_it_names_none_that_is_a_text(space, needs):
    assert outline(read("a.yaml", POD.format(space).encode())).needs == (needs,)


def test_a_shared_object_is_held_by_its_name():
    found = outline(read("a.yaml", b"apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"))
    ((name, _),) = found.held
    assert name == "Namespace/a"
    assert "Namespace/a" in found.needs
