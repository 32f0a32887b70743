"""What is applied together changes at the same moment: DaemonSets are workloads like others."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, node, pod, quota, workload

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace

HOST = "kubernetes.io/hostname"
BY_ONE = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}


def applied(*changes, on):
    """The judgements of changes that are applied together, each as (old, new); `old` is None where nothing ran."""
    transitions = [
        Transition(new, old or new, rolls=bool(old) and old.spec != new.spec, known=bool(old), existing=bool(old))
        for old, new in changes
    ]
    return judge(transitions, cluster(*on))


def agent(gpus=1, **spec):
    return workload("DaemonSet", "agent", gpus=gpus, update=BY_ONE, **spec)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (None, deployment("web")),
        (deployment("web", 0), deployment("web", 1)),
        (deployment("web", gpus=0), deployment("web")),
        (workload("StatefulSet", "web", gpus=0), workload("StatefulSet", "web")),
    ],
)
def test_what_a_daemon_set_gives_up_in_the_same_apply_is_there_for_others(old, new):
    _, found = applied((agent(), agent(0)), (old, new), on=[node("n1"), node("n2")])
    assert found.verdict in (None, Verdict.COMPLETES)
    assert (found.room.placed, found.room.wanted) == (1, 1)


def test_what_a_daemon_set_keeps_is_there_for_nobody():
    _, found = applied((agent(), agent()), (deployment("web", gpus=0), deployment("web")), on=[node("n1"), node("n2")])
    assert found.room.placed == 0


def test_two_that_swap_nodes_for_a_host_port_wait_for_each_other_for_ever():
    def on(name, host):
        return deployment(name, gpus=0, port=80, nodeSelector={HOST: host})

    found = applied((on("a", "n1"), on("a", "n2")), (on("b", "n2"), on("b", "n1")), on=[node("n1"), node("n2")])
    assert [one.verdict for one in found] == [Verdict.STUCK, Verdict.STUCK]


def at(priority, name, replicas=1, **spec):
    return deployment(name, replicas, priority=priority, **spec)


def test_it_is_the_victims_that_wait_and_the_preemptor_runs():
    web, batch, high = at(1, "web"), at(1, "batch"), at(9, "high")
    *victims, found = applied((web, web), (batch, batch), (None, high), on=[node("n", 2)])
    assert (found.room.placed, found.room.wanted) == (1, 1)
    # one of them, and which one is not known
    assert [(one.room.placed, one.room.at_best) for one in victims] == [(0, 1), (0, 1)]
    (one, found) = applied((web, web), (at(9, "high", 1), at(9, "high", 2)), on=[node("n", 2)])
    assert (one.room.placed, one.room.at_best, found.room.placed) == (0, 0, 2)
    assert [lack.owners for lack in one.room.waiting.lacks] == [{"Deployment/d/high"}]


def test_what_is_not_touched_and_lacked_its_room_before_is_not_told_of():
    web, batch = at(1, "web"), at(1, "batch")
    found = applied((web, web), (batch, batch), (at(9, "high"), at(9, "high", 0)), on=[node("n")])
    assert [one.room.placed for one in found] == [1, 1, 0]


def test_a_new_workload_may_come_before_or_after_the_successor_of_a_pod_that_is_deleted_first():
    api, kept = deployment("api", surge=0, unavailable=1, hostNetwork=True), deployment("kept", 2)
    old = deployment("api", surge=0, unavailable=1)
    one, _, found = applied((old, api), (kept, kept), (None, deployment("web")), on=[node("n", 3)])
    assert one.verdict is Verdict.MAY_STICK
    assert (found.room.placed, found.room.at_best) == (0, 1)


def test_a_quota_that_is_lowered_with_the_replicas_counts_the_pods_that_go():
    for one in (deployment("w", 3, surge=0, unavailable=1), workload("StatefulSet", "w", 3)):
        new = replace(one, replicas=2, spec=replace(one.spec, host_network=True))
        (found,) = applied((one, new), on=[node("n", 8), quota(2, used=3)])
        assert (found.verdict, found.room.placed) == (Verdict.COMPLETES, 2)
        # what the status counts and nobody knows stays
        (found,) = applied((one, new), on=[node("n", 8), quota(2, used=4)])
        assert (found.verdict, found.room.placed) == (None, 1)


def test_a_quota_that_is_lowered_deletes_no_pod_and_refuses_a_surge():
    new = deployment("w", 2, hostNetwork=True)
    assert applied((deployment("w", 3), new), on=[node("n", 8), quota(2, used=3)])[0].verdict is Verdict.STUCK


def captured(name, node_name, gpus, template_hash, image="i"):
    found = pod(name, node_name, gpus, owner=("ReplicaSet", f"w-{template_hash}"), labels={"app": "w"})
    found["metadata"]["labels"]["pod-template-hash"] = template_hash
    found["spec"]["containers"][0]["image"] = image
    if not node_name:
        del found["spec"]["nodeName"]
        found["status"] = {"phase": "Pending"}
    return found


def with_image(one, image):
    containers = tuple(replace(container, image=image) for container in one.spec.containers)
    return replace(one, spec=replace(one.spec, containers=containers))


def changed(old, new, *pods):
    return judge([Transition(new, old, known=True)], cluster(node("n"), *pods))[0].verdict


def test_a_stuck_rollout_that_is_reverted_has_its_pods_already():
    stuck = (captured("w-1-a", "n", 1, "1"), captured("w-2-a", "", 2, "2"))
    assert changed(deployment(gpus=2), deployment(), *stuck) is None
    assert changed(deployment(gpus=2), deployment(hostNetwork=True), *stuck) is Verdict.STUCK


@pytest.mark.parametrize(("image", "expected"), [("i", None), ("k", Verdict.STUCK), ("", Verdict.MAY_STICK)])
def test_where_only_the_image_tells_revisions_apart_it_has_to_be_known(image, expected):
    stuck = (captured("w-1-a", "n", 1, "1", image), captured("w-2-a", "", 1, "2", "j"))
    assert changed(with_image(deployment(), "j"), deployment(), *stuck) is expected
