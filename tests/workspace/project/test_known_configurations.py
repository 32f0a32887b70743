"""A configuration whose bytes are known means what it means when it is parsed."""

from __future__ import annotations

import pytest

from kubelint_gpu.cache.store import Store
from kubelint_gpu.documents import read
from kubelint_gpu.sources.files import SourceFile
from kubelint_gpu.workspace.project import known_configurations
from kubelint_gpu.workspace.project.configuration import ConfigurationError
from kubelint_gpu.workspace.project.configuration_file import load
from kubelint_gpu.workspace.project.known_configurations import KnownCluster, KnownFiles, known_document
from kubelint_gpu.workspace.project.kustomizations import RenderSettings
from kubelint_gpu.workspace.project.worlds import WhatIf, read_world
from kubelint_gpu.workspace.shared_objects import Deferred, outline

TEXT = """# settings
inventory: nodes.yaml
ignore: [KLG4]
severity: {KLG1: note, KLG2: off}
per-path:
  "a/*.yaml": {ignore: KLG2, reason: known, until: 2030-01-31}
units:
  one: ["a/*", "b/*"]
"""

TEXT_OF_KNOWN_FILES = b"apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n---\na: 1\n"

POD = b"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"


@pytest.fixture
def stored(tmp_path):
    """A way to load with what earlier runs have kept, each time from the disk."""

    def of(path):
        store = Store(tmp_path / "kept")
        found = load(path, store)
        store.save()
        return found

    return of


@pytest.mark.parametrize("text", [TEXT, "", "{}", "inventory: x.yaml\n---\nignore: KLG1\n", "units: {a: [1.5e400]}\n"])
def test_it_means_the_same_each_time(tmp_path, monkeypatch, stored, text):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / ".kubelint-gpu.yaml"
    path.write_text(text)
    told = [outcome(stored, path) for _ in range(3)]
    assert told[0] == told[1] == told[2] == outcome(load, path)


def outcome(of, path):
    try:
        made = of(path)
    except ConfigurationError as error:
        return str(error)
    source = made.source.digest if made.source is not None else None
    return (source, *(getattr(made, name) for name in ("path", "ignore", "per_path", "units", "lines")))


def test_it_is_parsed_once(tmp_path):
    store = Store(tmp_path / "kept")
    known_document(store, "a.yaml", b"ignore: KLG4\n")
    store.save()
    found = known_document(Store(tmp_path / "kept"), "a.yaml", b"ignore: KLG4\n")
    assert found.value == {"ignore": "KLG4"}
    assert found.locate(("ignore",), "key").line == 1
    assert "_document" not in vars(found)
    assert found.locate(("ignore",)).column == 9
    assert "_document" in vars(found)


def test_where_its_inventory_lies_is_looked_at_each_time(tmp_path, monkeypatch, stored):
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    path = work / ".kubelint-gpu.yaml"
    path.write_text("inventory: nodes.yaml\n")
    (work / "nodes.yaml").write_text("")
    assert stored(path).inventory == ("nodes.yaml",)
    (work / "nodes.yaml").unlink()
    (work / "nodes.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    with pytest.raises(ConfigurationError, match="not a path within the repository"):
        stored(path)


CONCISE = """apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
- {name: a, allocatable: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
- {name: b, allocatable: {cpu: 8, memory: 32Gi}}
"""


class Kept(dict):
    def put(self, key, text):
        self[key] = text.encode()


@pytest.fixture(autouse=True)
def declared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "i.yaml").write_text(CONCISE)
    return tmp_path / "i.yaml"


def twice(what_if=None, **more):
    store = Kept()
    return [read_world(["i.yaml"], what_if, store=store, **more)[0] for _ in range(2)]


def test_the_second_time_it_is_read_when_more_is_asked_for():
    first, second = twice()
    assert first.usable, first.errors
    assert not isinstance(first, KnownCluster)
    assert isinstance(second, KnownCluster)
    assert "inventory" not in vars(second)
    assert (second.usable, second.node_count, second.errors) == (True, 2, first.errors)
    assert second.digest == first.digest
    assert [one.source.path for one in second.readings] == ["i.yaml"]
    assert "inventory" not in vars(second)
    assert second.base == first.base
    assert second.inventory.complete == first.inventory.complete


def test_it_agrees_with_a_run_that_keeps_nothing():
    _, second = twice()
    alone, _ = read_world(["i.yaml"])
    assert alone.digest == second.digest
    assert [one.value for one in alone.inventory.objects] == [one.value for one in second.inventory.objects]


@pytest.mark.parametrize(
    "spoil", [("cpu: 8,", "cpu: x,"), ("name: b", "nam: b"), ("nodes:", "nodes: ["), ("/v1", "/v9")]
)
def test_a_cluster_with_errors_is_read_again(declared, spoil):
    declared.write_text(CONCISE.replace(*spoil))
    first, second = twice()
    assert not isinstance(second, KnownCluster)
    assert second.errors == first.errors != ()


def test_another_text_is_another_cluster(declared):
    store = Kept()
    read_world(["i.yaml"], store=store)
    declared.write_text(CONCISE.replace("name: b", "name: c"))
    assert not isinstance(read_world(["i.yaml"], store=store)[0], KnownCluster)


def test_nodes_that_are_taken_away_and_clusters_with_names_are_read_again():
    for found in (twice(WhatIf(without=("a",)))[1], twice(named=True)[1]):
        assert not isinstance(found, KnownCluster)


def test_nodes_that_join_are_a_part_of_it(declared):
    (declared.parent / "more.yaml").write_text(CONCISE.replace("name: a", "name: c").replace("name: b", "name: d"))
    first, second = twice(WhatIf(added=("more.yaml",)))
    assert isinstance(second, KnownCluster)
    assert second.node_count == first.node_count == 4


@pytest.mark.parametrize("entry", [b"", b"[1]", b'["x",[]]', b"{}", b"[1,2]"])
def test_a_false_entry_is_none(entry):
    store = Kept()
    read_world(["i.yaml"], store=store)
    for key in store:
        store[key] = entry
    assert not isinstance(read_world(["i.yaml"], store=store)[0], KnownCluster)


def test_a_file_is_parsed_the_second_time_only_when_it_is_asked_for():
    store = Kept()
    first, second = (KnownFiles(store).read("a.yaml", TEXT_OF_KNOWN_FILES) for _ in range(2))
    assert not isinstance(first, Deferred)
    assert isinstance(second, Deferred)
    assert (second.count, outline(second)) == (2, outline(first))
    assert [one.value for one in second.documents] == [one.value for one in first.documents]


def test_another_path_or_other_bytes_are_another_file():
    store = Kept()
    KnownFiles(store).read("a.yaml", TEXT_OF_KNOWN_FILES)
    for path, data in (
        ("b.yaml", TEXT_OF_KNOWN_FILES),
        ("a.yaml", TEXT_OF_KNOWN_FILES + b"\n"),
        ("a.yaml", b"\xef\xbb\xbf" + TEXT_OF_KNOWN_FILES),
    ):
        assert not isinstance(KnownFiles(store).read(path, data), Deferred)
    assert not isinstance(KnownFiles(store, ("Namespace",)).read("a.yaml", TEXT_OF_KNOWN_FILES), Deferred)


@pytest.mark.parametrize("store", [None, Kept()])
def test_files_of_one_text_have_the_same_documents_each_at_its_own_path(store):
    known = KnownFiles(store)
    first, second = (known.read(path, TEXT_OF_KNOWN_FILES) for path in ("a.yaml", "b.yaml"))
    assert all(one.value is other.value for one, other in zip(first.documents, second.documents, strict=True))
    assert {one.source.path for one in second.documents} == {second.source.path} == {"b.yaml"}
    assert outline(second) == outline(read("b.yaml", TEXT_OF_KNOWN_FILES))


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
def test_a_false_entry_is_none_of_known_files(entry):
    store = Kept()
    KnownFiles(store).read("a.yaml", TEXT_OF_KNOWN_FILES)
    for key in store:
        store[key] = entry
    assert not isinstance(KnownFiles(store).read("a.yaml", TEXT_OF_KNOWN_FILES), Deferred)


def test_files_are_read_up_to_what_they_may_hold_together_known_or_not():
    store, size = Kept(), read("a.yaml", TEXT_OF_KNOWN_FILES).size
    for _ in range(2):
        files = KnownFiles(store, most=3 * size - 1)
        found = [files.read(path, TEXT_OF_KNOWN_FILES) for path in ("a.yaml", "b.yaml", "c.yaml", "d.yaml")]
        assert [one.size for one in found] == [size, size, 0, 0]
        assert [len(one.documents) for one in found] == [2, 2, 0, 0]
        assert all("hold more than" in one.problems[0].message for one in found[2:])


def test_the_last_file_is_read_first_and_each_is_dropped():
    files, defects = [SourceFile("a.yaml", POD), SourceFile("b.yaml", POD)], []
    found = [one.source.path for one in known_configurations.read_all(files, defects)]
    assert (found, files, defects) == (["b.yaml", "a.yaml"], [], [])


def test_what_is_deployed_beside_a_run_is_read_from_its_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_bytes(POD)
    [found] = known_configurations.context_of(["a.yaml"], RenderSettings(), [])
    assert (found.path, found.object) == ("a.yaml", "Pod/a")
    assert known_configurations.context_of([], RenderSettings(), []) == ()
