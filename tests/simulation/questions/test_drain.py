"""Drains: where the pods of a node go, near to others or away from them."""

from __future__ import annotations

import pytest
from rollout_objects import apart, budget, cluster, node, pod, recreated, spread

from kubelint_gpu.simulation.questions.drain import drain

HOST = "kubernetes.io/hostname"
NODES = (node("n", 4), node("m", 4), node("o", 4))
ON_N = {"nodeSelector": {HOST: "n"}}


def near(name, key=HOST):
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": name}}}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


@pytest.mark.parametrize(("gpus", "stranded"), [(4, 0), (3, 0), (1, 1)])
def test_pods_of_a_drained_node_follow_those_that_they_must_be_near_to(gpus, stranded):
    one, other = recreated("a", 2, 2, affinity=near("b")), recreated("b", gpus=0)
    found = drain([one, other], cluster(node("n", 4), node("m", gpus), budget("p", "a", maxUnavailable=2)))
    mine = [each for each in found if each.owner == "Deployment/d/a"]
    assert sum(each.pods for each in mine) == 2
    if gpus == 4:
        assert [each.stranded for each in mine] == [0]
    else:
        assert [each.stranded for each in mine] == [1 + stranded]


def test_pods_that_cannot_follow_are_stranded():
    one, other = recreated("a", 2, affinity=near("b")), recreated("b", gpus=0, **ON_N)
    limits = budget("p", "a", maxUnavailable=1)
    (held,) = [each for each in drain([one, other], cluster(*NODES, limits)) if each.owner == "Deployment/d/a"]
    assert (held.pods, held.stranded, held.allowed, held.blocked, held.decided) == (2, 2, 1, True, True)
    free = recreated("b", gpus=0)
    (let,) = [each for each in drain([one, free], cluster(*NODES, limits)) if each.owner == "Deployment/d/a"]
    assert (let.pods, let.stranded, let.blocked) == (2, 0, False)


def test_a_running_pod_of_others_leaves_the_node_too():
    one = recreated("a", 2, affinity=near("b"))
    limits = budget("p", "a", maxUnavailable=1)
    owned = {"owner": ("ReplicaSet", "b-1"), "labels": {"app": "b"}}
    (found,) = drain([one], cluster(*NODES, limits, pod("b-1-x", "n", 0, **owned)))
    assert (found.node, found.pods, found.stranded) == ("n", 2, 0)
    daemon = {"owner": ("DaemonSet", "b"), "labels": {"app": "b"}}
    (found,) = drain([one], cluster(*NODES, limits, pod("b-1-x", "n", 0, **daemon)))
    assert (found.node, found.pods, found.stranded) == ("n", 2, 2)
    (found,) = drain([one], cluster(*NODES, limits, *(pod(f"b-{name}", name, 0, **daemon) for name in "nmo")))
    assert (found.pods, found.stranded) == (2, 0)


def test_pods_kept_away_by_others_find_no_room_elsewhere():
    one, other = recreated("a", 2, affinity=apart("b")), recreated("b", 2, 0, affinity=apart("b"))
    found = drain([one, other], cluster(*NODES, budget("p", "a", maxUnavailable=1)))
    mine = [each for each in found if each.owner == "Deployment/d/a"]
    assert [(each.pods, each.stranded) for each in mine] in ([(2, 2)], [(1, 1), (1, 1)])


def test_a_cordoned_node_that_is_no_domain_any_more_leaves_it_open():
    constraint = spread("a", nodeTaintsPolicy="Honor")
    one = recreated("a", 3, topologySpreadConstraints=constraint)
    found = drain([one], cluster(*NODES, budget("p", "a", maxUnavailable=1)))
    assert {each.decided for each in found} == {False}
