"""Who holds what a pod lacks on a class of nodes, and whom it would evict there."""

from __future__ import annotations

from gpu_objects import confirmed, explained, gpu_node, gpu_pod
from plugin_objects import ZONE, node, pod

from kubelint_gpu.kube.objects.meta import Owner
from kubelint_gpu.scheduler import Snapshot, read_cluster

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def test_the_pods_of_a_replica_set_are_those_of_its_deployment():
    held = gpu_pod("web-7f9-x", on="a", owner="ReplicaSet/web-7f9")
    held["metadata"]["labels"] = {"pod-template-hash": "7f9"}
    (one,) = explained(gpu_pod(), gpu_node("a", 1), held).classes
    assert one.holders[0].owner == Owner("Deployment", "default", "web")


def test_anti_affinity_is_held_by_pods_elsewhere_in_the_domain():
    term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": "web"}}}
    incoming = pod(labels={"app": "web"}, affinity={"podAntiAffinity": {REQUIRED: [term]}})
    objects = [node("a", "z1"), node("b", "z1"), pod("web", on="b", labels={"app": "web"}), pod("c", on="a")]
    found = explained(incoming, *objects)
    assert [(holder.owner.name, holder.nodes) for one in found.classes for holder in one.holders] == [("web", ("b",))]
    by_node = {name: remedy for one in found.classes for remedy in one.remedies for name in remedy.nodes}
    assert sorted(by_node) == ["a", "b"]
    assert all(remedy.changes[0].pods[0][0].meta.name == "web" for remedy in by_node.values())
    assert confirmed(found, Snapshot.of(read_cluster(objects, version="1.34"))) > 0


def test_a_host_port_is_held_by_the_pod_that_has_it():
    ports = [{"name": "main", "ports": [{"containerPort": 80, "hostPort": 80}]}]
    (one,) = explained(pod(containers=ports), node("a"), pod("old", on="a", containers=ports), pod("x", on="a")).classes
    assert [holder.owner.name for holder in one.holders] == ["old"]
    assert one.remedies[0].changes[0].pods[0][0].meta.name == "old"


def test_a_pod_of_higher_priority_evicts_the_lower_one_and_says_whom():
    found = explained(gpu_pod(priority=10), gpu_node("a", 1), gpu_pod("low", on="a", priority=1))
    (one,) = found.classes
    assert [victim.meta.name for victim in one.eviction.victims] == ["low"]
    assert one.spared == ""


def test_pods_of_the_same_priority_are_spared_and_the_scheduler_says_so():
    (one,) = explained(gpu_pod(priority=1), gpu_node("a", 1), gpu_pod("equal", on="a", priority=1)).classes
    assert one.eviction is None
    assert one.spared == "No preemption victims found for incoming pod"


def test_a_pod_that_never_preempts_is_not_eligible():
    (one,) = explained(
        gpu_pod(priority=10, preemptionPolicy="Never"), gpu_node("a", 1), gpu_pod("low", on="a", priority=1)
    ).classes
    assert (one.eviction, one.spared) == (None, "not eligible due to preemptionPolicy=Never.")
