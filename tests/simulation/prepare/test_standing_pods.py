"""Where pods are taken to run, and what they are taken to hold, that the inventory does not show."""

from __future__ import annotations

import pytest
from device_objects import CLASS, RECREATE, SURGE, asking, by, plain, slices, template
from rollout_objects import deployment, node, workload

from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.simulation.growth import Growth
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.work import limited


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["gpu-0"], Verdict.STUCK),
        (["gpu-1"], Verdict.MAY_STICK),
        (["gpu-0", "gpu-2"], Verdict.MAY_STICK),
        (["gpu-1", "gpu-0-mig-1g5gb-19-0"], Verdict.STUCK),
        (["left", "right"], Verdict.STUCK),
    ],
)
def test_a_pod_may_hold_a_device_whose_number_its_pool_leaves_out(names, expected):
    published = slices("n1", *["A"] * len(names))
    for device, name in zip(published["spec"]["devices"], names, strict=True):
        device["name"] = name
    change = by("w", len(names), SURGE, template="t")
    objects = [CLASS, plain("n1"), published, template("t", asking())]
    assert judge([Transition(change, change)], read_cluster(objects))[0].verdict is expected
    change = by("w", len(names), RECREATE, template="t")
    assert judge([Transition(change, change)], read_cluster(objects))[0].verdict is Verdict.COMPLETES


def tainted(key, **spec):
    return {**node("n2", 1), "spec": {"taints": [{"key": key, "effect": "NoSchedule"}], **spec}}


NODE = read_cluster([node("more")]).nodes[0]
CORDONED = tainted("node.kubernetes.io/unschedulable", unschedulable=True)


@pytest.mark.parametrize(
    ("kind", "closed", "placed"),
    [
        ("Deployment", CORDONED, 2),
        ("StatefulSet", CORDONED, 2),
        ("Deployment", node("n2", 0), 2),
        # what another taint keeps away was never there
        ("Deployment", tainted("team"), 1),
    ],
)
def test_pods_that_no_capture_shows_may_stand_where_nothing_comes_any_more(kind, closed, placed):
    change = Transition(workload(kind, replicas=2), workload(kind), rolls=False, known=True)
    (found,) = judge([change], read_cluster([node("n1"), closed]))
    assert (found.room.placed, max(found.room.placed, found.room.at_best or 0)) == (1, placed)


@pytest.mark.parametrize(
    ("others", "growth", "expected"),
    [([CORDONED], (), Verdict.MAY_STICK), ([], (Growth("pool", NODE, 1, 1),), Verdict.COMPLETES)],
)
def test_no_rollout_is_stuck_for_certain_where_too_little_work_was_left_for_such_pods_or_for_nodes_that_join(
    others, growth, expected
):
    change, cluster = Transition(deployment(), deployment(), known=True), read_cluster([node("n1"), *others])
    found = set()
    for steps in range(0, 400, 4):
        with limited(steps):
            found.add(judge([change], cluster, growth=growth)[0].verdict)
    assert expected in found
    assert Verdict.STUCK not in found
