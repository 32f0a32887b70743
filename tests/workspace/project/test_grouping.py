"""What is applied together: the files of a directory, but for the units of the configuration."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.workspace.manifest import manifests
from kubelint_gpu.workspace.project.before import Past
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.configuration_file import load
from kubelint_gpu.workspace.project.grouping import Grouping, sources_of
from kubelint_gpu.workspace.project.kustomizations import Renders
from kubelint_gpu.workspace.project.worlds import Worlds
from kubelint_gpu.workspace.shared_objects import MOST_IN_DIRECTORY

PODS = """\
- {apiVersion: v1, kind: Node, metadata: {name: one}, status: {allocatable: {cpu: 4}}}
- {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a}], nodeName: one}}
"""
SYSTEM = "- {apiVersion: v1, kind: Namespace, metadata: {name: kube-system}}\n"
READINGS = tuple(read(f"{name}.yaml", f"kind: {name}\nmetadata: {{name: {name}}}\n".encode()) for name in "abc")
VARIANT = read("d.yaml", READINGS[0].text.encode())
ELSEWHERE = read("e/a.yaml", b"kind: e\n")


@pytest.mark.parametrize(
    ("units", "unit", "groups"),
    [
        ({}, "file", [["a.yaml"], ["b.yaml"], ["c.yaml"]]),
        ({}, "directory", [["a.yaml", "b.yaml", "c.yaml"]]),
        ({"one": ("a.yaml", "b.yaml")}, "file", [["a.yaml", "b.yaml"], ["c.yaml"]]),
        ({"one": ("a.yaml",)}, "directory", [["a.yaml"], ["b.yaml", "c.yaml"]]),
        ({"one": ("a.yaml",)}, "all", [["a.yaml", "b.yaml", "c.yaml"]]),
    ],
)
def test_files_are_grouped_into_units(units, unit, groups):
    grouping = Grouping(Configuration(units=units), Worlds(), (), unit=unit)
    found = tuple(grouping.units(READINGS, None, Renders(), ()))
    assert [[one.path for one in unit.readings] for unit in found] == groups
    assert sources_of(found) == READINGS


def grouped(*readings, settings=None):
    found = Grouping(settings or Configuration(), Worlds(), (), unit="directory")
    return [[one.path for one in unit.readings] for unit in found.units(readings, None, Renders(), ())]


def test_directories_are_units_of_their_own():
    assert grouped(*READINGS[:2], ELSEWHERE) == [["a.yaml", "b.yaml"], ["e/a.yaml"]]


def test_files_that_declare_the_same_object_are_variants_and_judged_each_by_itself():
    assert grouped(*READINGS[:2], VARIANT) == [["a.yaml"], ["b.yaml"], ["d.yaml"]]


def test_very_many_files_of_a_directory_are_judged_each_by_itself():
    many = [read(f"{number}.yaml", b"kind: e\n") for number in range(MOST_IN_DIRECTORY + 1)]
    assert len(grouped(*many)) == len(many)
    assert len(grouped(*many[1:])) == 1


def test_files_of_a_directory_that_go_to_several_clusters_are_several_units(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text("apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\n")
    (tmp_path / ".kubelint-gpu.yaml").write_text('targets: {a.yaml: one.yaml, "[bc].yaml": two.yaml}\n')
    settings = load(tmp_path / ".kubelint-gpu.yaml")
    here = [read(str(tmp_path / one.path), one.text.encode()) for one in READINGS]
    assert [len(paths) for paths in grouped(*here, settings=settings)] == [1, 2]


def meta(version, kind):
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: x}}\n"


def past(text):
    """What a file was, of which nothing is left."""
    objects = {one.object: one for one in manifests([read("a.yaml", text.encode())])}
    return Past({"": objects}, {}, {name: ("a.yaml", one) for name, one in objects.items()})


@pytest.mark.parametrize(("world", "stays"), [("", True), (PODS, True), (PODS + SYSTEM, False)])
def test_what_others_name_stays_where_no_manifest_has_it_any_more(tmp_path, world, stays):
    declared = tmp_path / "nodes.yaml"
    declared.write_text(f"apiVersion: v1\nkind: List\nitems:\n{world}" if world else "")
    old = past(f"{meta('scheduling.k8s.io/v1', 'PriorityClass')}value: 1\n---\n{meta('v1', 'ResourceQuota')}")
    grouping = Grouping(Configuration(), Worlds(), (str(declared),) if world else (), unit="directory")
    (unit,) = grouping.units(READINGS[:1], old, Renders(), ())
    assert [one.kind for one in unit.neighbours] == ["PriorityClass"] * stays
    assert unit.left == unit.gone == unit.neighbours
    assert unit.without_left().neighbours == ()


def test_workloads_that_no_manifest_has_any_more_keep_running():
    deployment = f"{meta('apps/v1', 'Deployment')}spec: {{template: {{spec: {{containers: [{{name: a}}]}}}}}}\n"
    grouping = Grouping(Configuration(), Worlds(), (), unit="directory")
    (unit,) = grouping.units(READINGS[:1], past(deployment), Renders(), ())
    assert [one.object for one in unit.gone] == ["Deployment/x"]
    assert unit.neighbours == unit.left == ()
