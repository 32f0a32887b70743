"""The moments of a run: what the replay saw on each node, step by step."""

from __future__ import annotations

import pytest
from rollout_objects import GPU, deployment, judged, node, pod, quota

from kubelint_gpu.simulation.search.trace import WAITING, course


def course_of(trace, also=()):
    assert trace.played is not None
    return course(trace.played, also)


def told(groups):
    return [(group.phase, group.new, group.count) for group in groups]


def test_the_old_pod_holds_the_gpu_and_the_new_one_waits():
    found = judged(deployment(), node("n"), node("other", 0))
    run = course_of(found.runs.trace)
    assert [one.name for one in run.nodes] == ["n"]
    assert [told(moment.nodes[0]) for moment in run.moments] == [[("running", False, 1)]] * 3
    assert [told(moment.waiting) for moment in run.moments] == [[], [], [(WAITING, True, 1)]]
    (group,) = run.moments[0].nodes[0]
    assert (group.owner, group.rolls, group.takes[GPU]) == (found.workload.key, True, 1)


def test_there_is_a_moment_for_each_event_and_the_end_of_the_story_adds_none():
    found = judged(deployment(), node("n"))
    assert len(found.runs.trace.played.states) == len(found.runs.trace.steps) - len(found.runs.trace.waiting)


def test_a_node_that_is_asked_for_is_shown_although_nothing_comes_there():
    found = judged(deployment(), node("n"), node("n2", 1), pod("holder", "n2", 1))
    assert "n2" not in [one.name for one in course_of(found.runs.trace).nodes]
    assert "n2" in [one.name for one in course_of(found.runs.trace, {"n2"}).nodes]


@pytest.mark.parametrize("replicas", [1, 2, 3])
def test_no_moment_holds_more_than_the_nodes_have(replicas):
    found = judged(deployment(replicas=replicas), node("n", replicas))
    for moment in course_of(found.runs.trace).moments:
        held = sum(group.takes[GPU] * group.count for group in moment.nodes[0])
        assert held <= replicas


def test_the_last_moment_agrees_with_those_who_wait():
    found = judged(deployment(replicas=2), node("n", 2))
    last = course_of(found.runs.trace).moments[-1]
    assert sum(group.count for group in last.waiting) == sum(one.count for one in found.runs.trace.waiting) == 1


def test_a_pod_that_a_quota_refuses_is_nowhere():
    found = judged(deployment(), node("n", 4), quota(1))
    last = course_of(found.runs.trace).moments[-1]
    assert found.runs.trace.waiting[0].refusal
    assert last.waiting == ()


def test_a_preempted_pod_is_seen_leaving_and_the_new_one_waits_for_its_room():
    low = pod("low", "n", 1, owner=("StatefulSet", "low"), priority=0)
    found = judged(deployment("high", priority=10), node("n", 2), low)
    last = course_of(found.runs.eviction).moments[-1]
    phases = {(group.owner, group.phase) for group in last.nodes[0]}
    assert phases == {
        ("Deployment/d/high", "running"),
        ("Deployment/d/high", "nominated"),
        ("StatefulSet/d/low", "evicted"),
    }
