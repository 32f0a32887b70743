"""Extended resources that a DeviceClass serves are devices in a rollout, as the control plane 1.36.3 played it."""

from __future__ import annotations

import pytest

from conformance.device_objects import (
    claim_spec,
    claim_template,
    device,
    device_class,
    devices,
    request,
    resource_slice,
    using,
)
from conformance.objects import SECOND, deployment, node
from conformance.rollout_case import merged
from kubelint_gpu.kube.objects.cluster import read_cluster
from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.simulation.growth import Growth
from kubelint_gpu.simulation.questions.most_pods import placeable
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.questions.served_resources import with_claims_for_resources
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace

GPU = "example.com/gpu"
SERVED = device_class("served", extendedResourceName=GPU)
SAFE = {"maxSurge": 0, "maxUnavailable": 1}


def asking(count=1):
    container = {"name": "main", "image": "main:1", "resources": {"limits": {GPU: str(count)}}}
    return {"containers": [container]}


def verdict(old, new, *inventory, version="1.36.3"):
    cluster = read_cluster([*inventory, SERVED, device_class(), claim_template()], version=version)
    return judge([Transition(read_workload(new), read_workload(old))], cluster)[0]


@pytest.mark.parametrize(
    ("devices_there", "strategy", "expected"),
    [(1, {}, "stuck"), (2, {}, "completes"), (1, SAFE, "completes"), (1, {"type": "Recreate"}, "completes")],
)
def test_a_surge_pod_needs_a_device_of_its_own(devices_there, strategy, expected) -> None:
    old = deployment("web", 1, asking(), **strategy)
    inventory = node("n1", 0), resource_slice("n1", devices(devices_there))
    found = verdict(old, merged(old, SECOND), *inventory)
    assert found.verdict.value == expected
    assert found.workload.spec.containers[0].requests[GPU] == 1000


@pytest.mark.parametrize(("count", "expected"), [(2, "stuck"), (3, "completes")])
def test_more_devices_than_before(count, expected) -> None:
    old = deployment("web", 1, asking())
    new = deployment("web", 1, asking(2))
    assert verdict(old, new, node("n1", 0), resource_slice("n1", devices(count))).verdict.value == expected


def test_a_claim_in_the_place_of_the_resource_waits_for_the_same_device() -> None:
    old, new = deployment("web", 1, asking()), deployment("web", 1, using("gpu"))
    assert verdict(old, new, node("n1", 0), resource_slice("n1", devices(1))).verdict.value == "stuck"


def plugged(count, number=2):
    found = node(f"n{number}", 0)
    found["status"]["allocatable"][GPU] = str(count)
    return found


@pytest.mark.parametrize(
    ("devices_there", "plugin", "replicas", "strategy", "expected"),
    [
        (1, 1, 2, {}, "stuck"),
        (1, 1, 1, {}, "completes"),
        (2, 1, 2, {}, "completes"),
        (1, 2, 2, {}, "completes"),
        (1, 1, 2, SAFE, "completes"),
    ],
)
def test_a_device_plugin_serves_on_some_nodes_what_devices_serve_on_others(
    devices_there, plugin, replicas, strategy, expected
) -> None:
    old = deployment("web", replicas, asking(), **strategy)
    inventory = node("n1", 0), plugged(plugin), resource_slice("n1", devices(devices_there))
    assert verdict(old, merged(old, SECOND), *inventory).verdict.value == expected
    cluster = read_cluster([*inventory, SERVED], version="1.36.3")
    assert placeable(read_workload(old), cluster, 9) == devices_there + plugin


def test_devices_of_a_node_with_a_device_plugin_are_for_claims_alone() -> None:
    inventory = node("n1", 0), resource_slice("n1", devices(1)), plugged(1), resource_slice("n2", devices(3))
    cluster = read_cluster([*inventory, SERVED, device_class(), claim_template()], version="1.36.3")
    assert placeable(read_workload(deployment("web", 1, asking())), cluster, 9) == 2
    assert placeable(read_workload(deployment("web", 1, using("gpu"))), cluster, 9) == 4


def test_a_pod_that_takes_the_device_of_a_claim_keeps_it_from_one_that_asks_for_the_resource() -> None:
    inventory = node("n1", 0), resource_slice("n1", devices(2)), plugged(1)
    cluster = read_cluster([*inventory, SERVED, device_class(), claim_template()], version="1.36.3")
    workloads = [
        read_workload(deployment("claims", 2, using("gpu"), maxSurge=0, maxUnavailable=1)),
        read_workload(deployment("web", 2, asking(), maxSurge=0, maxUnavailable=1)),
    ]
    found = judge([Transition(one, one) for one in workloads], cluster)
    assert [(one.room.placed, one.room.at_best) for one in found] == [(0, 2), (1, 2)]


def test_where_a_quota_counts_claims_both_ways_are_undecided() -> None:
    quota = {"kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"}}
    quota["spec"] = {"hard": {"count/resourceclaims.resource.k8s.io": "9"}}
    old = deployment("web", 1, asking())
    found = verdict(old, merged(old, SECOND), node("n1", 0), plugged(1), resource_slice("n1", devices(1)), quota)
    assert found.verdict.value == "undecided"
    assert "device plugin" in found.unknown


@pytest.mark.parametrize(("devices_there", "expected"), [(1, "stuck"), (2, "completes")])
def test_a_pod_whose_nodes_all_serve_it_by_devices_is_decided_beside_device_plugins(devices_there, expected) -> None:
    plugin = node("n2", 1)
    plugin["status"]["allocatable"][GPU] = "4"
    spec = {**asking(), "nodeSelector": {"kubernetes.io/hostname": "n1"}}
    old = deployment("web", 1, spec)
    found = verdict(old, merged(old, SECOND), node("n1", 0), plugin, resource_slice("n1", devices(devices_there)))
    assert found.verdict.value == expected


def test_a_pod_that_must_be_near_another_one_is_stuck_only_where_too_little_serves_it() -> None:
    plugin = node("n2", 1)
    plugin["status"]["allocatable"][GPU] = "4"
    near = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [near]}}
    old = deployment("web", 1, {**asking(), "affinity": affinity})
    found = verdict(old, merged(old, SECOND), node("n1", 0), plugin, resource_slice("n1", devices(1)))
    assert found.verdict.value == "may-stick"


def test_as_many_pods_find_places_as_there_are_devices() -> None:
    inventory = node("n1", 0), node("n2", 0), resource_slice("n1", devices(3)), resource_slice("n2", devices(1)), SERVED
    cluster = read_cluster(inventory, version="1.36.3")
    assert placeable(read_workload(deployment("web", 1, asking())), cluster, 9) == 4


def test_claims_to_devices_that_are_not_known_relate_no_workloads_and_no_search_is_begun() -> None:
    workloads = [read_workload(deployment(f"web-{number}", 2, using("gpu"))) for number in range(4)]
    cluster = read_cluster([node(f"n{number}", number) for number in range(10)], version="1.36.3")
    for found in judge([Transition(one, one) for one in workloads], cluster):
        assert (found.verdict.value, found.runs.states) == ("undecided", 0)
        assert "devices that its resource claims ask for" in found.unknown


def test_before_1_36_no_class_serves_a_resource() -> None:
    workload = read_workload(deployment("web", 1, asking()))
    objects = [node("n1", 0), resource_slice("n1", devices(1)), SERVED]
    transitions = [Transition(workload, workload)]
    for version, same in (("1.34.1", True), ("1.36.3", False)):
        cluster = read_cluster(objects, version=version)
        assert (with_claims_for_resources(transitions, cluster)[0] is transitions) is same


@pytest.mark.parametrize(("hard", "expected", "room"), [("1", "stuck", 1), ("2", "completes", 2)])
def test_a_quota_charges_the_resource_that_devices_serve(hard, expected, room) -> None:
    quota = {"kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"}}
    quota["spec"] = {"hard": {f"requests.{GPU}": hard}}
    old = deployment("web", 1, asking())
    inventory = node("n1", 0), resource_slice("n1", devices(4)), quota
    assert verdict(old, merged(old, SECOND), *inventory).verdict.value == expected
    cluster = read_cluster([*inventory, SERVED], version="1.36.3")
    assert placeable(read_workload(old), cluster, 9) == room


@pytest.mark.parametrize(
    ("key", "limits"),
    [
        ("requests.deviceclass.resource.kubernetes.io/gpu", False),
        (f"requests.{GPU}", False),
        ("requests.deviceclass.resource.kubernetes.io/served", True),
    ],
)
def test_a_quota_of_a_name_that_a_class_serves_charges_claims_of_the_class(key, limits) -> None:
    """As the control plane 1.36.3 played it."""
    quota = {"kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"}, "spec": {"hard": {key: "1"}}}
    template = claim_template("served", claim_spec(request(of="served")))
    name = key.removeprefix("requests.")
    container = {"name": "main", "image": "main:1", "resources": {"limits": {name: "1"}}}
    spec = {"containers": [container]} if limits else using("gpu" if key.endswith("io/gpu") else "served")
    old = deployment("web", 1, spec)
    inventory = node("n1", 0), resource_slice("n1", devices(4)), template
    assert verdict(old, merged(old, SECOND), *inventory, quota).verdict.value == "stuck"
    assert verdict(old, merged(old, SECOND), *inventory).verdict.value == "completes"


@pytest.mark.parametrize(("hard", "expected"), [("1", "stuck"), ("2", "completes")])
def test_a_quota_of_a_served_name_counts_where_a_pool_grows(hard, expected) -> None:
    quota = {"kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"}}
    quota["spec"] = {"hard": {f"requests.{GPU}": hard}}
    old = deployment("web", 1, asking())
    cluster = read_cluster([node("n1", 0), resource_slice("n1", devices(1)), quota, SERVED], version="1.36.3")
    slices = (replace(cluster.resource_slices[0], name="new", pool="new", node_name="new"),)
    growth = Growth("pool", cluster.nodes[0], 1, 1, slices)
    change = Transition(read_workload(merged(old, SECOND)), read_workload(old))
    assert judge([change], cluster, growth=[growth])[0].verdict.value == expected


@pytest.mark.parametrize(
    ("seconds", "effect", "version", "expected"),
    [
        ({"tolerationSeconds": 2}, "NoExecute", "1.36.3", "may-stick"),
        ({}, "NoExecute", "1.36.3", "stuck"),
        ({"tolerationSeconds": 2}, "NoExecute", "1.34.1", "stuck"),
        ({}, "NoSchedule", "1.36.3", "may-stick"),
    ],
)
def test_pods_may_leave_devices_that_they_tolerate_for_some_seconds_or_that_were_tainted_since(
    seconds, effect, version, expected
) -> None:
    toleration = {"key": "broken", "operator": "Exists", "effect": "NoExecute", **seconds}
    template = claim_template("patient", claim_spec(request("gpu", tolerations=[toleration])))
    taints = {"taints": [{"key": "broken", "effect": effect}]}
    there = [device("gpu-0", **taints), *([device("gpu-1")] if effect == "NoSchedule" else [])]
    old = deployment("web", 1, using("patient" if effect == "NoExecute" or version == "1.34.1" else "gpu"))
    found = verdict(old, merged(old, SECOND), node("n1", 0), resource_slice("n1", there), template, version=version)
    assert found.verdict.value == expected
