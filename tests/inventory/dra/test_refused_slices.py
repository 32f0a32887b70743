"""Slices that the API server of the declared release refuses are told on their line, and their devices are not there."""

from __future__ import annotations

import pytest
from declared_devices import HEAD, loaded

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


def told(text, head=HEAD):
    inventory, errors = loaded(text, head)
    return [(one.span.line, one.message) for one in errors], [one.name for one in inventory.of_kind("ResourceSlice")]


def test_a_slice_that_is_refused_is_told_on_its_line_and_is_not_used():
    found, left = told(NODES + SLICE.format(name="bad", more="devices: [{name: D}]"))
    assert left == []
    ((line, message),) = found
    assert line == 13
    assert message.startswith("ResourceSlice bad: spec.devices[0].name must be a name: lower case letters")


@pytest.mark.parametrize(("version", "refused"), [("1.34", False), ("1.36", True), ("1.37", True)])
def test_the_release_decides_what_is_refused(version, refused):
    found, left = told(NODES + SLICE.format(name="s", more=COUNTERS), HEAD.replace("1.36", version))
    assert (left == []) is refused
    assert bool(found) is refused


def test_the_newest_rules_count_where_no_release_is_declared():
    head = "".join(line for line in HEAD.splitlines(keepends=True) if "Version:" not in line or "api" in line)
    assert told(NODES + SLICE.format(name="s", more=COUNTERS), head)[1] == []


def test_what_the_nodes_of_a_pool_have_is_told_once():
    many = "{" + ", ".join(f"a{number}: 1" for number in range(32)) + "}"
    template = f"template: {{devices: [{{driver: d.example, attributes: {many}, capacity: {{c: 1}}}}]}}"
    text = f"pools: [{{name: p, autoscaling: {{min: 3, max: 4}}, {template}}}]\n"
    found, left = told(text)
    assert left == []
    assert [line for line, _ in found] == [4]
    inventory, _ = loaded(text)
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
