"""What is judged besides what is applied now: what each scenario changes, and what it leaves."""

from __future__ import annotations

import pytest
from checks_units import deployment, unit

from kubelint_gpu.analysis import scenarios
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - name: gpu-1
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: 3}
priorityClasses: [{name: serving, value: 1000}]
"""
KEEPS = "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"


@pytest.fixture
def now():
    text = f"{deployment(spec=KEEPS)}---\n{deployment(name='other', spec=KEEPS)}"
    return scenarios.now(unit(text, NODES))


def verdicts(scenario, only=None):
    return [one.verdict for one in scenario.judgements(only).values()]


def test_now_is_what_is_applied(now):
    assert verdicts(now) == [Verdict.COMPLETES, Verdict.COMPLETES]
    (first, _) = now.transitions
    assert list(now.judgements((first,))) == [first]


def test_at_more_replicas_the_room_may_be_too_little(now):
    first, other = now.transitions
    more = scenarios.scaled(now, first, 2)
    assert [one.new.replicas for one in more.transitions.values()] == [2, 1]
    assert more.transitions[first].old is more.transitions[first].new
    assert more.transitions[other] is now.transitions[other]
    assert verdicts(more) == [Verdict.STUCK, Verdict.STUCK]


def test_only_some_are_rolled(now):
    first, other = now.transitions
    one = scenarios.only_rolled(now, (first,))
    assert [found.rolls for found in one.transitions.values()] == [True, False]
    assert one.together() == ()
    assert len(now.together()) == 1
    assert scenarios.only_rolled(now, (first, other)).transitions == now.transitions


def test_what_is_removed_from_the_manifests_still_takes_its_room(now):
    third = next(iter(now.transitions.values())).new
    third = replace(third, meta=replace(third.meta, name="third"))
    found = scenarios.beside_removed(now, {"third": third})
    assert verdicts(found, now.transitions) == [Verdict.STUCK, Verdict.STUCK]
    assert not found.transitions["third"].rolls


def test_the_next_time_all_that_changes_now_has_changed(now):
    first, other = now.transitions
    new = now.transitions[other].new
    coming = {other: Transition(new, replace(new, replicas=3))}
    then = scenarios.next_time(now, coming)
    assert then.transitions[other] is coming[other]
    assert then.transitions[first].old is then.transitions[first].new


def test_without_the_pods_of_a_workload_that_has_none_nothing_is_new(now):
    assert scenarios.without_pods_of(now, [one.new for one in now.transitions.values()]) is now


def test_more_nodes_are_enough_and_a_pool_does_not_grow_besides(now):
    (node,) = now.cluster.nodes
    twin = replace(node, meta=replace(node.meta, name="gpu-2"))
    wider = replace(now.cluster, nodes=(node, twin))
    first, _ = now.transitions
    narrow = scenarios.scaled(now, first, 2)
    found = scenarios.on_nodes_of(narrow, wider)
    assert found.growth == ()
    assert verdicts(found) == [Verdict.COMPLETES, Verdict.COMPLETES]
