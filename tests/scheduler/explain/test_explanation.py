"""Why a pod fits where it fits: the facts, and remedies that the filters confirm."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st
from plugin_objects import ZONE, node, pod
from scheduler_scenarios import alike, scenarios

from kubelint_gpu.scheduler import Snapshot, attempt, fit, fit_on, read_cluster, read_pod
from kubelint_gpu.scheduler.explain.cluster_changes import (
    CapacityGrows,
    ChangedCluster,
    NodeJoins,
    PodArrives,
    QuotaGrows,
    after,
)
from kubelint_gpu.scheduler.explain.explanation import Extent, explain
from kubelint_gpu.scheduler.explain.holders import Owner
from kubelint_gpu.values import replace

GPU = "nvidia.com/gpu"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def gpu_node(name, gpus, **more):
    found = node(name, **more)
    found["status"]["allocatable"][GPU] = str(gpus)
    return found


def gpu_pod(name="incoming", gpus=1, on=None, owner=None, priority=0, **spec):
    containers = [{"name": "main", "resources": {"limits": {GPU: str(gpus)}}}]
    meta = {}
    if owner is not None:
        kind, _, owned_by = owner.partition("/")
        meta = {"ownerReferences": [{"kind": kind, "name": owned_by, "controller": True}]}
    return pod(name, on, meta=meta, containers=containers, priority=priority, **spec)


def explained(incoming, *objects, version="1.34"):
    return explain(read_pod(incoming), Snapshot.of(read_cluster(objects, version=version)))


def kinds(found):
    return [tuple(type(change).__name__ for change in remedy.changes) for remedy in found.remedies]


def confirmed(explanation, snapshot):
    """Every remedy, made true from the ground up: the whole cluster is filtered anew, with other snapshots."""
    count = 0
    for found in explanation.classes:
        joining = [((found.joining,), found.joining.node.name)] if found.joining is not None else []
        for changes, name in [(remedy.changes, remedy.nodes[0]) for remedy in found.remedies] + joining:
            scene = ChangedCluster(snapshot, name)
            for change in changes:
                scene = after(scene, change)
            pods = [
                replace(one, spec=replace(one.spec, node_name=info.name))
                for info in scene.snapshot.nodes
                for one in info.pods
            ]
            nodes = tuple(info.node for info in scene.snapshot.nodes)
            anew = Snapshot.of(replace(snapshot.cluster, nodes=nodes, pods=tuple(pods)))
            assert name in fit(explanation.pod, anew, by_class=False).fits, changes
            count += 1
    return count


def test_a_full_node_tells_who_holds_it_and_what_would_free_it():
    objects = [
        gpu_node("a", 2),
        gpu_pod("train-1", on="a", owner="Job/train"),
        gpu_pod("serve-1", on="a", owner="Deployment/serve", priority=100),
    ]
    found = explained(gpu_pod(priority=50), *objects)
    (one,) = found.classes
    assert not found.fits
    assert (one.lacking, one.free[GPU], one.allocatable[GPU]) == ((GPU,), Extent(0, 0), Extent(2, 2))
    assert [(holder.owner.name, holder.amounts, holder.priority, holder.lower) for holder in one.holders] == [
        ("serve", {GPU: 1}, 100, False),
        ("train", {GPU: 1}, 0, True),
    ]
    assert [victim.meta.name for victim in one.eviction.victims] == ["train-1"]
    assert found.preemption.nominated == "a"
    assert kinds(one) == [("PodsEnd",), ("PodsEnd",), ("CapacityGrows",)]
    assert one.remedies[2].changes == (CapacityGrows(GPU, 3, 2),)
    assert one.joining.like == "a"
    assert confirmed(found, Snapshot.of(read_cluster(objects, version="1.34"))) == 4


def test_the_message_and_the_verdicts_are_those_of_an_attempt():
    objects = [gpu_node("a", 1), gpu_pod("old", on="a"), node("b")]
    snapshot = Snapshot.of(read_cluster(objects, version="1.34"))
    incoming = read_pod(gpu_pod())
    found = explain(incoming, snapshot)
    assert found.message == attempt(incoming, snapshot).message
    assert {name: one.status for one in found.classes for name in one.nodes} == fit(incoming, snapshot).rejections


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


def test_spreading_is_mended_by_pods_of_the_fuller_domain():
    spread = {
        "maxSkew": 1,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    incoming = pod(labels={"app": "web"}, topologySpreadConstraints=[spread])
    objects = [node("a", "z1"), node("b", "z1"), node("c", "z2", unschedulable=True)]
    objects += [pod("w1", on="b", labels={"app": "web"}), pod("other", on="b")]
    found = explained(incoming, *objects)
    one = next(one for one in found.classes if one.status.plugin == "PodTopologySpread")
    assert one.nodes == ("a", "b")
    assert [holder.owner.name for holder in one.holders] == ["w1"]
    assert kinds(one) == [("PodsEnd",)]
    assert one.remedies[0].nodes == ("a", "b")
    assert confirmed(found, Snapshot.of(read_cluster(objects, version="1.34"))) > 0


def test_a_host_port_is_held_by_the_pod_that_has_it():
    ports = [{"name": "main", "ports": [{"containerPort": 80, "hostPort": 80}]}]
    (one,) = explained(pod(containers=ports), node("a"), pod("old", on="a", containers=ports), pod("x", on="a")).classes
    assert [holder.owner.name for holder in one.holders] == ["old"]
    assert one.remedies[0].changes[0].pods[0][0].meta.name == "old"


def test_a_pod_that_wants_company_waits_for_it_to_arrive():
    term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": "db"}}}
    objects = [node("a", "z1"), pod("db", on="a", labels={"app": "other"})]
    found = explained(pod(affinity={"podAffinity": {REQUIRED: [term]}}), *objects)
    (change,) = found.classes[0].remedies[0].changes
    assert isinstance(change, PodArrives)
    assert dict(change.pod.meta.labels) == {"app": "db"}
    assert confirmed(found, Snapshot.of(read_cluster(objects, version="1.34"))) == 1


def test_a_quota_that_is_used_up_tells_by_how_much_it_would_have_to_grow():
    quota = {
        "kind": "ResourceQuota",
        "metadata": {"name": "gpus", "namespace": "default"},
        "spec": {"hard": {f"requests.{GPU}": "1", "pods": "10"}},
    }
    found = explained(gpu_pod(gpus=2), gpu_node("a", 4), gpu_pod("old", on="a"), quota)
    assert "exceeded quota: gpus" in found.refusal
    assert found.quotas == (QuotaGrows("default/gpus", f"requests.{GPU}", 3000, 1000),)
    assert found.fits


def test_a_quota_that_wants_requests_written_is_not_mended_by_growing():
    quota = {
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"hard": {"limits.cpu": "1"}},
    }
    found = explained(pod(), node("a"), quota)
    assert "must specify limits.cpu" in found.refusal
    assert found.quotas == ()


def test_a_gated_pod_is_held_and_its_nodes_are_explained_all_the_same():
    found = explained(gpu_pod(schedulingGates=[{"name": "wait"}]), gpu_node("a", 1))
    assert found.held
    assert found.message is None
    assert found.classes[0].fits


def test_a_missing_claim_rejects_all_nodes_and_nothing_is_proposed():
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]
    found = explained(pod(volumes=volumes), node("a"), node("b"))
    assert [one.status.reasons for one in found.classes] == [('persistentvolumeclaim "none" not found',)]
    assert [one.remedies for one in found.classes] == [()]


def test_a_cluster_without_nodes_has_no_classes():
    found = explained(pod())
    assert (found.classes, found.fits) == ((), False)
    assert found.message == attempt(read_pod(pod()), Snapshot.of(read_cluster([], version="1.34"))).message


@settings(max_examples=60, deadline=None)
@given(st.one_of(scenarios(), alike()))
def test_one_node_is_judged_as_all_are(scenario):
    objects, incoming = scenario
    snapshot, found = Snapshot.of(read_cluster(objects, version="1.34")), read_pod(incoming)
    result = fit(found, snapshot)
    for info in snapshot.nodes:
        expected = result.prefilter or result.rejections.get(info.name)
        assert fit_on(found, snapshot, info.name) == expected


@settings(max_examples=100, deadline=None)
@given(st.one_of(scenarios(), alike()))
def test_every_node_is_in_one_class_with_its_own_verdict_and_every_remedy_holds(scenario):
    objects, incoming = scenario
    snapshot, found = Snapshot.of(read_cluster(objects, version="1.34")), read_pod(incoming)
    explanation = explain(found, snapshot)
    names = [name for one in explanation.classes for name in one.nodes]
    assert sorted(names) == sorted(info.name for info in snapshot.nodes)
    for one in explanation.classes:
        assert {fit_on(found, snapshot, name) for name in one.nodes} == {one.status}
        for name in one.nodes:
            info = snapshot.node(name)
            for resource, extent in one.free.items():
                used = len(info.pods) if resource == "pods" else info.used.get(resource, 0)
                assert extent.least <= max(0, info.node.allocatable.get(resource, 0) - used) <= extent.most
    confirmed(explanation, snapshot)


@settings(max_examples=40, deadline=None)
@given(scenarios(), st.randoms())
def test_the_order_of_objects_changes_no_explanation(scenario, random):
    objects, incoming = scenario
    shuffled = [value for value in objects if value["kind"] != "PodDisruptionBudget"]
    before = told(incoming, shuffled)
    random.shuffle(shuffled)
    assert told(incoming, shuffled) == before


def told(incoming, objects):
    found = explained(incoming, *objects)
    return [
        (one.nodes, one.status, one.free, [holder.pods for holder in one.holders], kinds(one), one.joining)
        for one in found.classes
    ]


def test_many_nodes_make_few_classes_and_take_little_time():
    objects = [gpu_node(f"n{number}", 8, labels={"pool": f"p{number % 3}"}) for number in range(2000)]
    for number in range(2000):
        objects += [gpu_pod(f"p{number}-{one}", on=f"n{number}", owner=f"Job/j{number}-{one}") for one in range(2)]
    snapshot = Snapshot.of(read_cluster(objects, version="1.34"))
    begun = time.process_time()
    found = explain(read_pod(gpu_pod(gpus=7, nodeSelector={"pool": "p1"})), snapshot)
    assert time.process_time() - begun < 3
    assert len(found.classes) == 2
    assert sum(len(one.nodes) for one in found.classes) == 2000
    assert all(isinstance(change, (NodeJoins, type(None))) for change in [one.joining for one in found.classes])
    assert found.classes[0].examined < 2000
