"""Charts that a change of a library concerns."""

from __future__ import annotations

import os

from helm_runs import CHART, POD, chart, committed, git, inventory, with_dependency

from kubelint_gpu.workspace.project.charts_above import charts_above

LIBRARY = {
    "lib/Chart.yaml": CHART.replace("serving", "lib") + "type: library\n",
    "lib/templates/_pod.tpl": '{{ define "pod" }}\n' + POD + "{{ end }}\n",
}
USER = with_dependency("repository: file://../lib", name="lib")


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
