"""Why a pod fits where it fits: the facts, and remedies that the filters confirm."""

from __future__ import annotations

from gpu_objects import GPU, confirmed, explained, gpu_node, gpu_pod, kinds
from hypothesis import given, settings
from hypothesis import strategies as st
from plugin_objects import node, pod
from scheduler_scenarios import alike, scenarios

from kubelint_gpu.scheduler import Snapshot, attempt, fit, fit_on, read_cluster, read_pod
from kubelint_gpu.scheduler.explain.cluster_changes import (
    CapacityGrows,
    QuotaGrows,
)
from kubelint_gpu.scheduler.explain.explained_class import Extent
from kubelint_gpu.scheduler.explain.explanation import explain

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


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


def test_a_gated_pod_is_held_and_its_nodes_are_explained_all_the_same():
    found = explained(gpu_pod(schedulingGates=[{"name": "wait"}]), gpu_node("a", 1))
    assert found.held
    assert found.message is None
    assert found.classes[0].fits


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


def told(incoming, objects):
    found = explained(incoming, *objects)
    return [
        (one.nodes, one.status, one.free, [holder.pods for holder in one.holders], kinds(one), one.joining)
        for one in found.classes
    ]


@settings(max_examples=40, deadline=None)
@given(scenarios(), st.randoms())
def test_the_order_of_objects_changes_no_explanation(scenario, random):
    objects, incoming = scenario
    shuffled = [value for value in objects if value["kind"] != "PodDisruptionBudget"]
    before = told(incoming, shuffled)
    random.shuffle(shuffled)
    assert told(incoming, shuffled) == before


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
