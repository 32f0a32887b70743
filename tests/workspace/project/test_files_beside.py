"""Files that no path of a run names, and that decide about it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kubelint_gpu.workspace.project.files_beside import class_files, deciding_files

WEB = "kind: Deployment\nmetadata: {name: web, namespace: ml}\nspec: {template: {spec: {containers: []}}}\n"
QUOTA = "kind: ResourceQuota\nmetadata: {name: q, namespace: ml}\n"


@pytest.fixture
def beside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def found(files, texts=(WEB,), read=()):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        subprocess.run(["git", "init", "-q"], check=True)
        subprocess.run(["git", "add", "."], check=True)
        contents, known = [text.encode() for text in texts], read or ["mine/web.yaml"]
        return [one.path for find in (class_files, deciding_files) for one in find(contents, known, Path(tmp_path))]

    return found


def test_a_quota_of_the_namespace_is_read_with_its_folder_and_what_declares_the_same_objects(beside):
    files = {"a/quota.yaml": QUOTA, "b/web.yaml": WEB, "a/x.yaml": "kind: Pod\n", "b/o.yaml": QUOTA.replace("ml", "x")}
    assert beside(files) == ["a/quota.yaml", "b/web.yaml", "a/x.yaml"]
    assert beside({}, ["kind: Deployment\nmetadata:\n  name: other\n  namespace: ml\nspec: {replicas: 2}\n"]) == [
        "a/quota.yaml",
        "a/x.yaml",
    ]


def test_a_quota_in_the_same_folder_is_read_too(beside):
    assert beside({"mine/quota.yaml": QUOTA}) == ["mine/quota.yaml"]


def test_what_a_kustomization_or_a_chart_may_take_in_is_not_read(beside):
    files = {"a/quota.yaml": QUOTA, "a/kustomization.yaml": "resources: [quota.yaml]\n"}
    assert beside(files | {"Chart.yaml": "name: c\n", "templates/quota.yaml": QUOTA}) == []


def test_what_the_run_reads_anyway_is_not_read_again(beside):
    assert beside({"a/quota.yaml": QUOTA}, read=["a/quota.yaml"]) == []


def test_a_class_is_looked_for_only_if_it_is_named_and_not_declared(beside):
    high = "kind: PriorityClass\nmetadata:\n  name: high\n"
    named = WEB + "priorityClassName: high\n"
    assert beside({"a/c.yaml": high}, [named]) == ["a/c.yaml"]
    assert beside({}, [named, high]) == []
    assert beside({}, [WEB]) == []


def test_files_without_pods_look_for_nothing(beside):
    assert beside({"a/quota.yaml": QUOTA}, ["kind: Service\nmetadata: {name: web, namespace: ml}\n"]) == []


def test_manifests_of_another_place_have_nothing_to_do_with_the_repository(beside, tmp_path):
    assert beside({"a/quota.yaml": QUOTA}, read=[str(tmp_path.parent / "web.yaml")]) == []
