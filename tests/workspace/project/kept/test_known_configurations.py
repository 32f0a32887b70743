"""A configuration whose bytes are known means what it means when it is parsed."""

from __future__ import annotations

import pytest

from kubelint_gpu.cache.store import Store
from kubelint_gpu.workspace.project.configuration import ConfigurationError
from kubelint_gpu.workspace.project.configuration_file import load
from kubelint_gpu.workspace.project.kept.known_configurations import known_document

TEXT = """# settings
inventory: nodes.yaml
ignore: [KLG4]
severity: {KLG1: note, KLG2: off}
per-path:
  "a/*.yaml": {ignore: KLG2, reason: known, until: 2030-01-31}
units:
  one: ["a/*", "b/*"]
"""


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
