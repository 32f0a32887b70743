"""Files that no path of a run names, and that decide about it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from helm_runs import CHART, POD, chart, committed, git, inventory, with_dependency

from kubelint_gpu.workspace.project.files_beside import Around, charts_above, class_files, deciding_files

WEB = "kind: Deployment\nmetadata: {name: web, namespace: ml}\nspec: {template: {spec: {containers: []}}}\n"
QUOTA = "kind: ResourceQuota\nmetadata: {name: q, namespace: ml}\n"

LIBRARY = {
    "lib/Chart.yaml": CHART.replace("serving", "lib") + "type: library\n",
    "lib/templates/_pod.tpl": '{{ define "pod" }}\n' + POD + "{{ end }}\n",
}
USER = with_dependency("repository: file://../lib", name="lib")


@pytest.fixture
def beside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def found(files, texts=(WEB,), read=(), *, tracked=(".",), tracked_only=False):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        if tracked is not None:
            subprocess.run(["git", "init", "-q"], check=True)
            subprocess.run(["git", "add", *tracked], check=True)
        contents, known = [text.encode() for text in texts], read or ["mine/web.yaml"]
        around = Around(Path(tmp_path), known, tracked_only=tracked_only)
        return [one.path for find in (class_files, deciding_files) for one in find(contents, around)]

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


HIGH = {"a/c.yaml": "kind: PriorityClass\nmetadata:\n  name: high\n"}
NAMED = [WEB + "priorityClassName: high\n"]


@pytest.mark.parametrize("tracked", [None, ()], ids=["without git", "untracked"])
def test_files_that_git_does_not_track_are_searched_too(beside, tracked):
    assert beside(HIGH, NAMED, tracked=tracked) == ["a/c.yaml"]
    assert beside({"b/quota.yaml": QUOTA, "b/other.yaml": QUOTA.replace("ml", "x")}, tracked=tracked) == [
        "b/quota.yaml",
        "b/other.yaml",
    ]


def test_files_that_git_ignores_and_those_outside_of_a_commit_are_not_searched(beside):
    assert beside(HIGH | {".gitignore": "a\n"}, NAMED, tracked=()) == []
    assert beside({".gitignore": ""}, NAMED, tracked=(), tracked_only=True) == []


def test_hidden_folders_links_and_other_repositories_are_not_searched(beside, tmp_path):
    (tmp_path / "out").symlink_to("/etc")
    (tmp_path / "linked.yaml").symlink_to("a/c.yaml")
    files = {f"{folder}/c.yaml": HIGH["a/c.yaml"] for folder in (".a", "node_modules", "other")}
    (tmp_path / "other" / ".git").mkdir(parents=True)
    assert beside(files, NAMED, tracked=None) == []


def test_a_search_that_is_cut_off_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "many").mkdir()
    for number in range(5_001):
        (tmp_path / "many" / f"{number}.yaml").write_text("kind: Pod\n")
    around = Around(Path(tmp_path), ["mine/web.yaml"])
    class_files([text.encode() for text in NAMED], around)
    assert around.unsearched == "there are more than 5,000 manifests, or 32 MB of them"
    deciding_files([WEB.encode(), *(f"kind: Pod\n  name: n{number}\n".encode() for number in range(5_001))], around)


def test_files_without_pods_look_for_nothing(beside):
    assert beside({"a/quota.yaml": QUOTA}, ["kind: Service\nmetadata: {name: web, namespace: ml}\n"]) == []


def test_manifests_of_another_place_have_nothing_to_do_with_the_repository(beside, tmp_path):
    assert beside({"a/quota.yaml": QUOTA}, read=[str(tmp_path.parent / "web.yaml")]) == []


def library(tree, more=None):
    files = {**LIBRARY, **chart({"templates/pod.yaml": '{{ include "pod" . }}\n'}, head=USER), **(more or {})}
    root = tree(inventory(files))
    committed(root)
    return root


def test_a_hook_renders_the_charts_that_depend_on_a_library(check, tree):
    root = library(tree)
    template = root / "lib" / "templates" / "_pod.tpl"
    template.write_text(template.read_text().replace("{{ .Values.gpus }}", "2"))
    git(root, "add", "-A")
    ran = check(root, "--hook", "lib/templates/_pod.tpl", "-i", "inventory.yaml")
    assert [(code, path) for code, path, _ in ran.told] == [("KLG009", "lib/templates/_pod.tpl")]


def test_a_chart_concerns_all_that_depend_on_it(tree):
    second = with_dependency("repository: file://../chart")
    bad = "apiVersion: v2\nname: a\ndependencies: [1, {repository: 1}, {repository: 'file://\\0'}, {repository: 'file:///etc'}]\n"
    root = library(tree, {"top/Chart.yaml": second, "bad/Chart.yaml": bad, "other/Chart.yaml": CHART})
    found = charts_above([str(root / "lib" / "templates" / "_pod.tpl")])
    assert [os.path.relpath(one, root) for one in found] == ["chart", "lib", "top"]
    assert [os.path.relpath(one, root) for one in charts_above([str(root / "other" / "Chart.yaml")])] == ["other"]


def test_a_chart_behind_a_link_out_of_the_repository_is_not_read(tree, tmp_path_factory):
    root = library(tree)
    outside = tmp_path_factory.mktemp("outside") / "Chart.yaml"
    head = root / "chart" / "Chart.yaml"
    outside.write_text(head.read_text())
    head.unlink()
    head.symlink_to(outside)
    found = charts_above([str(root / "lib" / "templates" / "_pod.tpl")])
    assert [os.path.relpath(one, root) for one in found] == ["lib"]


def test_charts_that_depend_on_each_other_are_found_once(tree):
    ring = {f"{one}/Chart.yaml": with_dependency(f"repository: file://../{two}") for one, two in ("ab", "ba")}
    root = library(tree, ring)
    found = charts_above([str(root / "a" / "Chart.yaml")])
    assert [os.path.relpath(one, root) for one in found] == ["a", "b"]


def test_without_git_no_other_chart_is_known(tmp_path):
    for name in ("lib", "chart"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "Chart.yaml").write_text(USER)
    assert charts_above([str(tmp_path / "lib" / "Chart.yaml")]) == (os.path.realpath(tmp_path / "lib"),)
