"""Declarations that cannot all hold."""

from __future__ import annotations

import declared_devices
import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load

HEAD = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\n"


def errors_of(text, head=HEAD):
    return load([read("cluster.yaml", (head + text).encode())])[1]


def test_two_classes_cannot_both_be_the_default():
    (error,) = errors_of(
        "priorityClasses:\n  - {name: a, value: 1, globalDefault: true}\n  - {name: b, value: 2, globalDefault: true}\n"
    )
    assert error.message == "priority classes a and b are both globalDefault"
    assert (error.span.line, error.related[0][1].line) == (5, 4)


def test_a_node_declared_twice_names_both_places_even_across_files():
    one = read("one.yaml", (HEAD + "nodes: [{name: a}]\n").encode())
    two = read("two.yaml", b"apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {pods: 1}}\n")
    _, (error,) = load([one, two])
    assert (error.message, error.path, error.span.line) == ("Node a is declared twice", "two.yaml", 3)
    assert error.related[0][0] == "one.yaml"


def test_versions_that_disagree_are_an_error():
    readings = [read(f"{minor}.yaml", f'{HEAD}kubernetesVersion: "1.{minor}"\n'.encode()) for minor in (33, 34)]
    _, (error,) = load(readings)
    assert (error.path, error.message) == ("34.yaml", 'kubernetesVersion is "1.34" here and "1.33" elsewhere')


SLICE = """---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: {name}}}
spec:
  driver: d.example
  nodeName: a
  pool: {{name: a, resourceSliceCount: 1}}
  {more}
"""
NODES = "nodes: [{name: a}]\n"
COUNTERS = "sharedCounters: [{name: s, counters: {c: {value: '1'}}}]\n  devices: [{name: d}]"


def told(text, head=declared_devices.HEAD):
    inventory, errors = declared_devices.loaded(text, head)
    return [(one.span.line, one.message) for one in errors], [one.name for one in inventory.of_kind("ResourceSlice")]


def test_a_slice_that_is_refused_is_told_on_its_line_and_is_not_used():
    found, left = told(NODES + SLICE.format(name="bad", more="devices: [{name: D}]"))
    assert left == []
    ((line, message),) = found
    assert line == 13
    assert message.startswith("ResourceSlice bad: spec.devices[0].name must be a name: lower case letters")


@pytest.mark.parametrize(("version", "refused"), [("1.34", False), ("1.36", True), ("1.37", True)])
def test_the_release_decides_what_is_refused(version, refused):
    found, left = told(NODES + SLICE.format(name="s", more=COUNTERS), declared_devices.HEAD.replace("1.36", version))
    assert (left == []) is refused
    assert bool(found) is refused


def test_the_newest_rules_count_where_no_release_is_declared():
    head = "".join(
        line for line in declared_devices.HEAD.splitlines(keepends=True) if "Version:" not in line or "api" in line
    )
    assert told(NODES + SLICE.format(name="s", more=COUNTERS), head)[1] == []


def test_what_the_nodes_of_a_pool_have_is_told_once():
    many = "{" + ", ".join(f"a{number}: 1" for number in range(32)) + "}"
    template = f"template: {{devices: [{{driver: d.example, attributes: {many}, capacity: {{c: 1}}}}]}}"
    text = f"pools: [{{name: p, autoscaling: {{min: 3, max: 4}}, {template}}}]\n"
    found, left = told(text)
    assert left == []
    assert [line for line, _ in found] == [4]
    inventory, _ = declared_devices.loaded(text)
    assert [pool.slices for pool in inventory.pools] == [()]
    assert {one.kind for one in inventory.unread} == {"ResourceSlice"}


def test_a_refused_slice_leaves_the_others_alone():
    other = SLICE.format(name="good", more="devices: [{name: d}]").replace("name: a, r", "name: b, r")
    found, left = told(NODES + SLICE.format(name="bad", more="devices: [{name: D}]") + other)
    assert left == ["good"]
    assert len(found) == 1


def test_a_concise_device_is_told_where_it_is_written():
    entries = ("- driver: d.example", "- driver: d.example", "  attributes:", "    ok: 1", "    a-b: 1")
    text = "\n".join(("nodes:", "- name: a", "  devices:", *(f"  {one}" for one in entries), ""))
    found, left = told(text)
    assert left == []
    assert [line for line, _ in found] == [11]
