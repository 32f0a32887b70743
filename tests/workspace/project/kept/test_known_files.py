"""Files that an earlier run has read."""

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.workspace.project.kept.known_files import KnownFiles
from kubelint_gpu.workspace.shared_objects import Deferred, outline


class Kept(dict):
    def put(self, key, text):
        self[key] = text.encode()


TEXT = b"apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n---\na: 1\n"


def test_a_file_is_parsed_the_second_time_only_when_it_is_asked_for():
    store = Kept()
    first, second = (KnownFiles(store).read("a.yaml", TEXT) for _ in range(2))
    assert not isinstance(first, Deferred)
    assert isinstance(second, Deferred)
    assert (second.count, outline(second)) == (2, outline(first))
    assert [one.value for one in second.documents] == [one.value for one in first.documents]


def test_another_path_or_other_bytes_are_another_file():
    store = Kept()
    KnownFiles(store).read("a.yaml", TEXT)
    for path, data in (("b.yaml", TEXT), ("a.yaml", TEXT + b"\n"), ("a.yaml", b"\xef\xbb\xbf" + TEXT)):
        assert not isinstance(KnownFiles(store).read(path, data), Deferred)
    assert not isinstance(KnownFiles(store, ("Namespace",)).read("a.yaml", TEXT), Deferred)


@pytest.mark.parametrize("store", [None, Kept()])
def test_files_of_one_text_have_the_same_documents_each_at_its_own_path(store):
    known = KnownFiles(store)
    first, second = (known.read(path, TEXT) for path in ("a.yaml", "b.yaml"))
    assert all(one.value is other.value for one, other in zip(first.documents, second.documents, strict=True))
    assert {one.source.path for one in second.documents} == {second.source.path} == {"b.yaml"}
    assert outline(second) == outline(read("b.yaml", TEXT))


def test_a_text_with_problems_and_one_that_is_to_be_json_are_read_by_themselves():
    known = KnownFiles(None)
    for paths, data in ((("a.yaml", "b.yaml"), b"a: 1\na: 2\n"), (("a.yaml", "a.json"), b"{a: 1}")):
        for path in paths:
            assert known.read(path, data).problems == read(path, data).problems


@pytest.mark.parametrize("data", [b"a: b: c", b"\0", b"\xff", b"a: 1\na: 2\n"])
def test_what_cannot_be_read_is_read_again(data):
    store = Kept()
    for _ in range(2):
        found = KnownFiles(store).read("a.yaml", data)
        assert not isinstance(found, Deferred)
        assert found.problems == read("a.yaml", data).problems != ()


@pytest.mark.parametrize("entry", [b"", b"[1]", b'["x","y"]', b"[1,2]", b"[1,2,3]", b"{}"])
def test_a_false_entry_is_none(entry):
    store = Kept()
    KnownFiles(store).read("a.yaml", TEXT)
    for key in store:
        store[key] = entry
    assert not isinstance(KnownFiles(store).read("a.yaml", TEXT), Deferred)


def test_files_are_read_up_to_what_they_may_hold_together_known_or_not():
    store, size = Kept(), read("a.yaml", TEXT).size
    for _ in range(2):
        files = KnownFiles(store, most=3 * size - 1)
        found = [files.read(path, TEXT) for path in ("a.yaml", "b.yaml", "c.yaml", "d.yaml")]
        assert [one.size for one in found] == [size, size, 0, 0]
        assert [len(one.documents) for one in found] == [2, 2, 0, 0]
        assert all("hold more than" in one.problems[0].message for one in found[2:])
