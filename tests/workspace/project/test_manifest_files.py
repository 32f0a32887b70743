"""Files are read one after the other, and one that cannot be read hides no other."""

from __future__ import annotations

from kubelint_gpu.sources import SourceFile
from kubelint_gpu.workspace.project import manifest_files
from kubelint_gpu.workspace.project.kustomizations import RenderSettings

POD = b"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"


def test_the_last_file_is_read_first_and_each_is_dropped():
    files, defects = [SourceFile("a.yaml", POD), SourceFile("b.yaml", POD)], []
    found = [one.source.path for one in manifest_files.read_all(files, defects)]
    assert (found, files, defects) == (["b.yaml", "a.yaml"], [], [])


def test_what_is_deployed_beside_a_run_is_read_from_its_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_bytes(POD)
    [found] = manifest_files.context_of(["a.yaml"], RenderSettings(), [])
    assert (found.path, found.object) == ("a.yaml", "Pod/a")
    assert manifest_files.context_of([], RenderSettings(), []) == ()
