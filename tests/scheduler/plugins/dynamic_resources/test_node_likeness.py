"""Nodes whose devices differ only in what no claim looks at are alike."""

from __future__ import annotations

import pytest
from device_objects import CLASS, SURGE, asking, by, claim, plain, slices, template

from kubelint_gpu.kube.dra.claim import AllocatedDevice, Allocation
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.scheduler.plugins.dynamic_resources.node_likeness import node_token, own_devices
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.questions.analysis import RolloutAnalysis
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace

ANY, OF_MODEL, NAMED = template("any", asking()), template("model", asking(model="A")), claim("named", asking())


def own(name, *models):
    """Devices that tell their node by an attribute."""
    found = slices(name, *models)
    for device in found["spec"]["devices"]:
        device["attributes"]["uuid"] = {"string": f"{name}/{device['name']}"}
    return found


def cluster(*published, version="1.36"):
    return read_cluster([CLASS, ANY, OF_MODEL, NAMED, plain("n1"), plain("n2"), *published], version=version)


def alike(found, workload):
    token = node_token([created_pod(workload, "new")], found)
    return token is None or len({token(node, ()) for node in found.nodes}) == 1


@pytest.mark.parametrize(
    ("first", "second", "asked", "expected"),
    [
        ("AA", "AA", "any", True),
        ("AA", "AAA", "any", False),
        ("AA", "AB", "any", True),
        ("AA", "AB", "model", False),
        ("AB", "BA", "model", False),
    ],
)
def test_what_claims_look_at_tells_nodes_apart(first, second, asked, expected):
    found = cluster(own("n1", *first), own("n2", *second))
    assert alike(found, by("w", template=asked)) is expected


def test_a_claim_that_pods_share_is_on_one_of_the_nodes():
    assert not alike(cluster(own("n1", "A"), own("n2", "A")), by("w", claim="named"))


def test_what_is_taken_tells_nodes_apart():
    found = cluster(own("n1", "A", "A"), own("n2", "A", "A"))
    first, second = (
        Allocation((AllocatedDevice("r", DeviceID("gpu.example.com", name, "gpu-0")),)) for name in ("n1", "n2")
    )
    holder = replace(created_pod(by("x", template="any"), "new"), allocations=(("d/x", first),))
    holder = replace(holder, spec=replace(holder.spec, node_name="n1"))
    other = replace(holder, meta=replace(holder.meta, name="y"), allocations=(("d/y", second),))
    other = replace(other, spec=replace(other.spec, node_name="n2"))
    assert not alike(replace(found, pods=(holder,)), by("w", template="any"))
    assert alike(replace(found, pods=(holder, other)), by("w", template="any"))


def test_devices_that_all_nodes_reach_are_no_ones_own():
    found = cluster(own("n1", "A"), own("n2", "A"), slices("wide", "A", allNodes=True))
    assert not alike(found, by("w", template="any"))
    assert alike(cluster(slices("wide", "A", allNodes=True)), by("w", template="any"))
    assert own_devices(cluster(own("n2", "A")), ["n2", "n1"]) == [(DeviceID("gpu.example.com", "n2", "gpu-0"),), ()]


@pytest.mark.parametrize(("replicas", "verdict"), [(15, Verdict.COMPLETES), (16, Verdict.STUCK)])
def test_a_rollout_on_many_equal_nodes_is_searched_as_on_one_class(replicas, verdict):
    names = [f"n{number}" for number in range(1, 9)]
    found = read_cluster([CLASS, ANY, *map(plain, names), *(own(name, "A", "A") for name in names)], version="1.36")
    workload = by("w", replicas, SURGE, template="any")
    (told,) = RolloutAnalysis([Transition(workload, workload)], found, 5_000).judge()
    assert told.verdict is verdict
