"""What a run is about is known before anything is parsed."""

from __future__ import annotations

import subprocess

import pytest

from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.gathering import gather

APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: apps}
spec:
  source: {repoURL: https://example.com/team/platform, path: apps}
  destination: {name: prod-eu}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(f"kind: {name}\n")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_files_come_from_the_last_to_the_first_without_those_that_declare_the_cluster():
    found = gather(["."], ["b.yaml"])
    assert [(one.path, one.data) for one in found.files] == [("c.yaml", b"kind: c\n"), ("a.yaml", b"kind: a\n")]
    assert found.mine == ("a.yaml", "b.yaml", "c.yaml")
    assert found.named is None


@pytest.mark.usefixtures("folder")
def test_the_other_files_of_a_unit_are_there_and_not_asked_for():
    found = gather(["a.yaml"], [], configuration=Configuration(units={"one": ("*.yaml",)}))
    assert [one.path for one in found.files] == ["c.yaml", "b.yaml", "a.yaml"]
    assert found.mine == found.named == ("a.yaml",)


def test_what_cannot_be_read_is_told_when_it_is_asked_for(folder, capsys):
    (folder / "d.yaml").symlink_to("nowhere")
    found = gather([".", "gone.yaml"], [])
    assert capsys.readouterr().err == ""
    found.tell()
    assert [line.split(":")[1].strip() for line in capsys.readouterr().err.splitlines()] == ["gone.yaml", "d.yaml"]


def test_a_file_that_declares_a_cluster_is_named_if_none_is_given(folder, capsys):
    (folder / "cluster.yaml").write_text("apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes: []\n")
    gather(["."], []).tell()
    assert "cluster.yaml: declares a cluster that this run does not use" in capsys.readouterr().err
    gather(["cluster.yaml"], ["cluster.yaml"]).tell()
    assert "declares a cluster" not in capsys.readouterr().err


@pytest.mark.parametrize("tracked", [False, True])
def test_a_named_manifest_goes_where_an_application_elsewhere_sends_its_folder(tmp_path, monkeypatch, tracked):
    monkeypatch.chdir(tmp_path)
    for path, text in {"apps/pod.yaml": "kind: Pod\n", "cd/a.yaml": APPLICATION}.items():
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text(text)
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "add", "." if tracked else "apps"], check=True)
    assert gather(["apps/pod.yaml"], []).built.sent == {"apps": (("prod-eu",),)}
    (tmp_path / "cd/a.yaml").unlink()
    assert gather(["apps/pod.yaml"], []).built.sent == {}
