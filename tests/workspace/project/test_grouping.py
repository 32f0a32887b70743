"""What is applied together: each file by itself, but for the units of the configuration."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.workspace.manifest import manifests
from kubelint_gpu.workspace.project.before import Past
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.grouping import Grouping, sources_of
from kubelint_gpu.workspace.project.kustomizations import BuiltKustomizations
from kubelint_gpu.workspace.project.worlds import Worlds

PODS = """\
- {apiVersion: v1, kind: Node, metadata: {name: one}, status: {allocatable: {cpu: 4}}}
- {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a}], nodeName: one}}
"""
SYSTEM = "- {apiVersion: v1, kind: Namespace, metadata: {name: kube-system}}\n"
READINGS = tuple(read(f"{name}.yaml", f"kind: {name}\n".encode()) for name in "abc")


@pytest.mark.parametrize(
    ("units", "together", "groups"),
    [
        ({}, False, [["a.yaml"], ["b.yaml"], ["c.yaml"]]),
        ({"one": ("a.yaml", "b.yaml")}, False, [["a.yaml", "b.yaml"], ["c.yaml"]]),
        ({}, True, [["a.yaml", "b.yaml", "c.yaml"]]),
    ],
)
def test_files_are_grouped_into_units(units, together, groups):
    grouping = Grouping(Configuration(units=units), Worlds(), (), together=together)
    found = tuple(grouping.units(READINGS, None, BuiltKustomizations(), ()))
    assert [[one.path for one in unit.readings] for unit in found] == groups
    assert sources_of(found) == READINGS


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
    grouping = Grouping(Configuration(), Worlds(), (str(declared),) if world else (), together=False)
    (unit,) = grouping.units(READINGS[:1], old, BuiltKustomizations(), ())
    assert [one.kind for one in unit.neighbours] == ["PriorityClass"] * stays
    assert unit.left == unit.gone == unit.neighbours
    assert unit.without_left().neighbours == ()


def test_workloads_that_no_manifest_has_any_more_keep_running():
    deployment = f"{meta('apps/v1', 'Deployment')}spec: {{template: {{spec: {{containers: [{{name: a}}]}}}}}}\n"
    grouping = Grouping(Configuration(), Worlds(), (), together=False)
    (unit,) = grouping.units(READINGS[:1], past(deployment), BuiltKustomizations(), ())
    assert [one.object for one in unit.gone] == ["Deployment/x"]
    assert unit.neighbours == unit.left == ()
