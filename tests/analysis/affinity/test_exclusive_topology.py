"""Leaders and workers of a LeaderWorkerSet that must share a topology domain."""

from __future__ import annotations

import pytest
from checks_units import findings

SET = """apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: serve
  namespace: ml
  annotations: {leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: rack}
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: 3
    subGroupPolicy: {subGroupSize: 2}
    leaderTemplate: {spec: {nodeSelector: {kind: cpu}, containers: [{name: c, image: x}]}}
    workerTemplate: {spec: {nodeSelector: {kind: gpu}, containers: [{name: c, image: x}]}}
"""
NODES = """apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
  - {name: a, labels: {rack: one, kind: cpu}, allocatable: {cpu: 8}}
  - {name: b, labels: {rack: two, kind: gpu}, allocatable: {cpu: 8}}
  - {name: c, labels: {rack: three, kind: gpu}, allocatable: {cpu: 8}}
"""


def told(text, inventory=NODES):
    return [one.message for one in findings(text, inventory, "KLG410")]


@pytest.mark.parametrize("annotation", ["subgroup-exclusive-topology", "exclusive-topology"])
def test_a_group_without_a_domain_for_all_its_pods_is_never_whole(annotation):
    (found,) = told(SET.replace("subgroup-exclusive-topology", annotation))
    assert found.startswith("no group ever has its leader and its workers in one rack; ")
    assert found.endswith("; a leader runs only in one, a worker in three and two")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("subgroup-exclusive-topology", "other"),
        ("subGroupSize: 2", "subGroupSize: 2, subGroupPolicyType: LeaderExcluded"),
        ("{subGroupSize: 2}", "{}"),
        ("size: 3", "size: 1"),
        ("kind: gpu", "kind: none"),
        ("nodeSelector: {kind: cpu}", "tolerations: []"),
    ],
)
def test_it_is_silent_if_a_domain_is_shared_or_none_is_asked_for(old, new):
    assert told(SET.replace(old, new)) == []


def test_a_domain_that_takes_both_is_enough():
    assert told(SET, NODES.replace("rack: three", "rack: one")) == []


GROUPS = """apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: serve
  namespace: ml
  annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: rack}
spec:
  replicas: 3
  leaderWorkerTemplate:
    size: 3
    leaderTemplate: {spec: {containers: [{name: c, image: x, resources: {limits: {cpu: 1}}}]}}
    workerTemplate: {spec: {containers: [{name: c, image: x, resources: {limits: {cpu: 3}}}]}}
"""
RACKS = """apiVersion: kubelint-gpu/v1
kind: ClusterInventory
complete: true
nodes:
  - {name: a, labels: {rack: one}, allocatable: {cpu: 8, memory: 8Gi}}
  - {name: b, labels: {rack: two}, allocatable: {cpu: 4, memory: 8Gi}}
  - {name: c, labels: {rack: two}, allocatable: {cpu: 3, memory: 8Gi}}
  - {name: d, labels: {rack: three}, allocatable: {cpu: 6, memory: 8Gi}}
  - {name: e, allocatable: {cpu: 64, memory: 8Gi}}
"""
ONE_TEMPLATE = GROUPS.replace("    leaderTemplate", "    other").replace("cpu: 3", "cpu: 2")


@pytest.mark.parametrize("text", [GROUPS, ONE_TEMPLATE])
def test_more_groups_than_domains_with_room_for_a_whole_group_never_run(text):
    (found,) = findings(text, RACKS.replace("cpu: 6", "cpu: 5"), "KLG109")
    assert (found.severity, found.certainty, found.place.line) == ("error", "certain", 8)
    roomy = (
        "only 2 of 3 groups can run: each needs a topology domain (rack) of its own with room for 3 pods, "
        "which one and two have"
    )
    assert found.message.endswith(roomy)


@pytest.mark.parametrize(
    ("old", "new"),
    [("cpu: 6", "cpu: 7"), ("exclusive-topology", "other"), ("replicas: 3", "replicas: 2"), ("size: 3", "size: 2")],
)
def test_as_many_domains_with_room_as_groups_are_enough(old, new):
    assert findings(GROUPS.replace(old, new), RACKS.replace(old, new), "KLG109") == []


def test_a_number_of_groups_that_is_not_written_is_one():
    assert findings(ONE_TEMPLATE.replace("  replicas: 3\n", ""), RACKS, "KLG109") == []


def test_without_a_domain_that_has_room_not_one_group_runs():
    small = RACKS.replace("cpu: 8", "cpu: 5").replace("cpu: 4", "cpu: 3")
    (found,) = findings(GROUPS, small.replace("cpu: 6", "cpu: 5"), "KLG109")
    assert "no group can run" in found.message
    assert found.message.endswith("which none has")


@pytest.mark.parametrize("inventory", ["", RACKS.replace("rack:", "zone:")])
def test_where_no_node_is_known_to_have_the_key_nothing_is_told(inventory):
    assert findings(GROUPS, inventory, "KLG109") == []
