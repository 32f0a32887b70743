"""DaemonSets: nodes, limits and the order in which pods are replaced."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.objects.rolling import DaemonSetStrategy, IntOrPercent
from kubelint_gpu.kube.objects.taints import Taint, Toleration
from kubelint_gpu.simulation.controllers import daemon_set
from kubelint_gpu.simulation.controllers.daemon_nodes import daemon_nodes, tolerations
from kubelint_gpu.simulation.controllers.daemon_set import DaemonSetLimits, OnNode


@pytest.mark.parametrize(
    ("surge", "unavailable", "nodes", "expected"),
    [
        ("0", "1", 3, (0, 1)),
        ("1", "0", 3, (1, 0)),
        ("0", "10%", 11, (0, 2)),
        ("30%", "0", 10, (3, 0)),
        ("0", "0%", 4, (0, 1)),
    ],
)
def test_bounds_of_a_daemon_set_round_up_and_are_never_both_zero(surge, unavailable, nodes, expected):
    def amount(text: str) -> IntOrPercent:
        return IntOrPercent(int(text.rstrip("%")), percent=text.endswith("%"))

    found = daemon_set.resolve(DaemonSetStrategy(max_surge=amount(surge), max_unavailable=amount(unavailable)), nodes)
    assert (found.surge, found.unavailable) == expected


OLD, BROKEN, NEW, YOUNG, GONE, LEFT = (
    OnNode(old=True),
    OnNode(old=False),
    OnNode(new=True),
    OnNode(new=False),
    OnNode(leaving=True),
    OnNode(),
)


@pytest.mark.parametrize(
    ("nodes", "deletes", "one_of", "creates"),
    [
        ((OLD, OLD, OLD), (), (0, 1, 2), ()),
        ((GONE, OLD, OLD), (), (), ()),
        ((LEFT, OLD, OLD), (), (), (0,)),
        ((YOUNG, OLD, OLD), (), (), ()),
        ((NEW, OLD, OLD), (), (1, 2), ()),
        ((BROKEN, OLD, OLD), (0,), (), ()),
        ((BROKEN, BROKEN, OLD), (0, 1), (), ()),
        ((NEW, NEW, NEW), (), (), ()),
    ],
)
def test_without_surge_one_node_at_a_time_and_broken_pods_at_once(nodes, deletes, one_of, creates):
    found = daemon_set.sync(DaemonSetLimits(0, 1), nodes)
    assert (found.delete, found.delete_one_of, found.create) == (deletes, one_of, creates)


@pytest.mark.parametrize(
    ("nodes", "deletes", "one_of", "creates"),
    [
        ((OLD, OLD, OLD), (), (0, 1, 2), ()),
        ((OnNode(True, False), OLD, OLD), (), (), ()),
        ((OnNode(True, True), OLD, OLD), (0,), (1, 2), ()),
        ((BROKEN, OLD, OLD), (), (1, 2), (0,)),
        ((LEFT, NEW, NEW), (), (), (0,)),
    ],
)
def test_with_surge_the_new_pod_comes_first_and_the_old_one_goes_when_it_is_available(nodes, deletes, one_of, creates):
    found = daemon_set.sync(DaemonSetLimits(1, 0), nodes)
    assert (found.delete, found.create_one_of, found.create) == (deletes, one_of, creates)


def node(name: str, *taints: Taint, **labels: str) -> Node:
    return Node(Meta(name, labels=labels), taints=taints)


def test_a_daemon_set_runs_where_labels_and_taints_let_it_whatever_is_free():
    nodes = [
        node("a", gpu="yes"),
        node("b"),
        node("cordoned", Taint("node.kubernetes.io/unschedulable"), gpu="yes"),
        node("tainted", Taint("nvidia.com/gpu", "present"), gpu="yes"),
    ]
    spec = PodSpec(node_selector={"gpu": "yes"})
    assert daemon_nodes(spec, nodes) == ("a", "cordoned")
    tolerant = PodSpec(node_selector={"gpu": "yes"}, tolerations=(Toleration("nvidia.com/gpu", "Exists"),))
    assert daemon_nodes(tolerant, nodes) == ("a", "cordoned", "tainted")
    assert daemon_nodes(PodSpec(node_name="b"), nodes) == ("b",)


def test_the_controller_adds_the_tolerations_of_the_table():
    keys = [
        (one.key.removeprefix("node.kubernetes.io/"), one.effect) for one in tolerations(PodSpec(host_network=True))
    ]
    assert keys == [
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
        ("network-unavailable", "NoSchedule"),
    ]
    assert len(tolerations(PodSpec())) == 6
