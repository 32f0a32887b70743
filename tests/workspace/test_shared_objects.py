"""What a file has to do with the shared objects of a run."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import comments, read, source_text
from kubelint_gpu.documents.reader import read_text
from kubelint_gpu.workspace.shared_objects import Deferred, outline

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


TEXT = "a: 1 # one\n---\nb: '# two'\n"


def test_it_is_parsed_once_and_when_it_is_asked_for():
    times = []

    def parse(source):
        times.append(source.path)
        return read_text(source)

    found = Deferred(source_text("x.yaml", TEXT), 2, 9, "about", parse)
    assert (found.count, found.about, found.problems, found.source.text, times) == (2, "about", (), TEXT, [])
    whole = read("x.yaml", TEXT.encode())
    assert [one.value for one in found.documents] == [one.value for one in whole.documents]
    assert (found.hashes, found.unread) == (whole.hashes, whole.unread)
    assert [one.text for one in comments(found)] == ["# one"]
    assert times == ["x.yaml"]


def test_another_path_or_text_is_another_digest():
    made = [source_text("x", "a"), source_text("x", "b"), source_text("y", "a"), source_text("x", "a", has_bom=True)]
    assert len({one.digest for one in made}) == 4
    assert source_text("x", "a").digest == made[0].digest
