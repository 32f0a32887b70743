"""Pools that an autoscaler enlarges, in findings about rollouts."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings, unit, world
from small_inventories import inventory

from kubelint_gpu.analysis.replica_room import room_for


def grows(most, at_least=0):
    return f"    autoscaling: {{min: {at_least}, max: {most}}}\n"


def codes(text, nodes):
    return sorted(found.code for found in findings(text, nodes))


def test_a_pool_that_grows_saves_a_rollout_and_a_quota_does_not_care():
    quota = (
        "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: team, namespace: serving}\n"
        'spec: {hard: {requests.nvidia.com/gpu: "1"}}\n---\n'
    )
    room = inventory(scaling=grows(3))
    assert codes(deployment(), room) == ["KLG114"]
    assert codes(quota + deployment(), room) == ["KLG105"]


def test_a_rollout_that_rests_on_a_pool_that_grows_is_a_note_with_the_run_that_waits():
    (found,) = findings(deployment(), inventory(scaling=grows(3)))
    assert (found.code, found.severity, found.certainty) == ("KLG114", "note", "possible")
    assert found.message == (
        "the rollout ends only if pool l4 adds a node meanwhile: until then the new pod waits for 1 nvidia.com/gpu on "
        "l4-1, held by the old pod"
    )
    assert found.trace[-1].message.endswith("nothing moves until a node joins")
    assert any(
        one.message == "pool l4 may grow from 1 to 3 nodes: new nodes are called l4+1 and so on here"
        for one in found.related
    )
    assert [(fix.safety, fix.verified) for fix in found.fixes] == [("safe", True)]


def test_a_pool_at_its_maximum_saves_nothing():
    assert codes(deployment(), inventory(scaling=grows(1, 1))) == ["KLG101"]


def test_replicas_that_a_pool_at_its_maximum_still_cannot_take_are_told_with_the_pool():
    text = deployment(spec="replicas: 5")
    (found,) = findings(text, inventory(scaling=grows(3)))
    assert found.code == "KLG109"
    assert "only 3 of 5 replicas can run even with pool l4 at its maximum of 3 nodes" in found.message
    assert any(
        one.message == "pool l4 may grow from 1 to 3 nodes: new nodes are called l4+1 and so on here"
        for one in found.related
    )
    assert codes(deployment(spec="replicas: 2"), inventory(scaling=grows(3))) == ["KLG114"]


def test_a_rollout_that_needs_more_than_a_pool_at_its_maximum_says_that_the_pool_grows():
    (found,) = findings(deployment(spec="replicas: 3"), inventory(scaling=grows(3)))
    assert found.code == "KLG101"
    assert any(
        one.message == "pool l4 may grow from 1 to 3 nodes: new nodes are called l4+1 and so on here"
        for one in found.related
    )


def test_a_pool_that_may_grow_without_end_is_not_counted_out():
    assert codes(deployment(spec="replicas: 60"), inventory(scaling=grows(200))) == []


def test_pools_that_take_the_pod_are_known_and_the_others_are_not():
    found = unit(deployment(pod="nodeSelector: {pool: a100}"), inventory(scaling=grows(3)))
    assert found.growing_for(found.subjects[0]) == ()
    found = unit(deployment(), inventory(scaling=grows(3)))
    assert [pool.name for pool in found.growing_for(found.subjects[0])] == ["l4"]
    assert room_for(found, found.subjects[0], 9) == 3
    assert not found.may_outgrow(found.subjects[0])
    assert world(inventory()).usable


@pytest.mark.parametrize(("replicas", "short"), [((1, 1), 0), ((2, 1), 0), ((1, 1, 1), 0), ((2, 2), 2), ((1,) * 4, 4)])
def test_what_a_pool_at_its_maximum_does_not_take_together_is_told(replicas, short):
    names = "abcd"[: len(replicas)]
    gives = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"
    texts = (
        deployment(name=name, spec=f"replicas: {number}\n{gives}") for name, number in zip(names, replicas, strict=True)
    )
    found = findings("---\n".join(texts), inventory(scaling=grows(3)), code="KLG109")
    assert len(found) == short
    assert all(one.severity != "note" for one in found)
