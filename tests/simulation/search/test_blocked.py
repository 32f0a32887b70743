"""Who is said to be in the way at the end of a run, and on which nodes a run is told."""

from __future__ import annotations

import pytest
from rollout_objects import GPU, apart, claim, cluster, deployment, judged, mounted, node, pod, same, spread

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict

STUCK = Verdict.STUCK


def lacks(found):
    assert found.verdict is STUCK
    assert found.runs.trace is not None
    return found.runs.trace.waiting[0].lacks


def owners(lack):
    return [(holder.owner, holder.new, holder.node, holder.count) for holder in lack.holders]


def test_of_a_host_port_only_pods_with_that_port_are_holders():
    others = [pod("without", "n", 0), pod("elsewhere", "n", 0, port=9)]
    (lack,) = lacks(judged(deployment(gpus=0, port=80), node("n"), *others))
    assert owners(lack) == [("Deployment/d/w", False, "n", 1)]


def test_of_a_host_port_the_foreign_pod_that_has_it_is_a_holder():
    nodes = [node("n"), node("m")]
    found = judged(deployment(gpus=0, port=80), *nodes, pod("w", "n", 0, port=80), pod("x", "m", 0, port=80))
    (one, two) = sorted(lacks(found), key=lambda lack: lack.node)
    assert owners(one) == [("Pod/d/x", False, "m", 1)]
    assert owners(two) == [("Deployment/d/w", False, "n", 1)]


def test_under_anti_affinity_of_a_zone_the_pods_of_the_zone_are_in_the_way():
    found = judged(deployment(affinity=apart("w", "zone")), node("n"), node("m"), pod("x", "n", 0), pod("w", "m"))
    told = [holder for lack in lacks(found) for holder in owners(lack)]
    assert set(told) == {("Deployment/d/w", False, "m", 1)}


def test_under_spreading_the_pods_that_count_are_in_the_way():
    nodes = [node("n", 4, zone="a"), node("m", 0, zone="b")]
    found = judged(
        deployment(topologySpreadConstraints=spread("w", "zone")),
        *nodes,
        pod("x", "n", labels={"app": "x"}),
        pod("w", "n"),
    )
    (lack,) = lacks(found)
    assert lack.plugin == "PodTopologySpread"
    assert owners(lack) == [("Deployment/d/w", False, "n", 1)]


def test_a_claim_is_held_by_whoever_uses_it():
    volumes = {"volumes": mounted("c")}
    nodes = [node("n", 4), node("m", 4)]
    found = judged(
        deployment(**volumes), *nodes, claim("c", "ReadWriteOncePod"), pod("w", "n", **volumes), pod("x", "m")
    )
    assert {holder for lack in lacks(found) for holder in owners(lack)} == {("Deployment/d/w", False, "n", 1)}


def test_everything_that_is_short_on_a_node_is_named_the_device_first():
    big = pod("big", "n", 0)
    big["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "12"}}
    text = {"name": "c", "image": "i", "resources": {"limits": {GPU: "1"}, "requests": {"cpu": "3"}}}
    one = deployment(containers=[text])
    (lack,) = lacks(judged(one, node("n"), big))
    assert (lack.resource, [more.resource for more in lack.also]) == (GPU, ["cpu"])
    assert [holder.owner for holder in lack.holders] == ["Deployment/d/w"]
    assert [holder.owner for holder in lack.also[0].holders] == ["Deployment/d/w", "Pod/d/big"]
    assert (lack.also[0].needed, lack.also[0].free) == (3000, 1000)


@pytest.mark.parametrize("home", ["a", "b", "c"])
def test_a_run_begins_where_the_inventory_says_that_the_pods_are(home):
    found = judged(deployment(affinity=apart("w", "zone")), node("a"), node("b"), node("c"), pod("w", home))
    assert found.runs.trace is not None
    assert f"1 on {home}" in found.runs.trace.steps[0].message


def test_known_pods_stay_where_they_are_whatever_else_is_placed():
    nodes = [node(name, 2) for name in ("a", "b", "c")]
    pods = [
        pod("w-1", "b", labels={"app": "w"}),
        pod("w-2", "c", labels={"app": "w"}),
        pod("v", "c", labels={"app": "v"}),
    ]
    found, _ = judge(
        same(deployment(replicas=4, surge=1, unavailable=0), deployment("v", 2, surge=0, unavailable=1)),
        cluster(*nodes, *pods),
    )
    assert found.verdict is STUCK
    assert found.runs.trace is not None
    opening = found.runs.trace.steps[0].message
    mine, theirs = opening.split("; ")[:2]
    assert "on b" in mine
    assert "on c" in mine
    assert "on c" in theirs


def test_of_equal_nodes_the_first_is_told():
    found = judged(deployment(affinity=apart("w", "zone")), node("a"), node("b"))
    assert found.runs.trace is not None
    assert found.runs.trace.steps[0].message.startswith("the old pods run: 1 on a;")
