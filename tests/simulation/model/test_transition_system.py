"""What holds in every state of every run.

Which pods are deleted where there are too many: against every choice among single pods.
"""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rollout_reference import program_input, random_case

from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.simulation.controllers.deployment import DeploymentRollout, resolve
from kubelint_gpu.simulation.controllers.reconciler import Action
from kubelint_gpu.simulation.controllers.rollout_state import (
    BROKEN,
    EVICTED,
    LEAVING,
    NOMINATED,
    READY,
    STARTING,
    State,
    canonical,
    census,
    on_node,
)
from kubelint_gpu.simulation.model.pod_types import build_pod_types
from kubelint_gpu.simulation.model.simulation import build_simulation
from kubelint_gpu.simulation.model.transition_system import deletions, without
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange
from kubelint_gpu.simulation.search.placements import placements


def explored(case, most=400):
    transitions, cluster = program_input(case)
    participants = [
        WorkloadChange(one.new, one.old, nodes=tuple(node.name for node in cluster.nodes)) for one in transitions
    ]
    rolling = frozenset(case.judged)
    empty = Snapshot.of(cluster)
    simulation = build_simulation(build_pod_types(participants, rolling, (), cluster), cluster, (), empty=empty)
    states = list(placements(simulation, 500).full)[:20]
    seen = set(states)
    for state in states:
        for following in simulation.model.successors(state):
            if following not in seen and len(seen) < most:
                seen.add(following)
                states.append(following)
    return simulation, cluster, states


@pytest.mark.parametrize("seed", range(30_000, 30_040))
def test_no_state_holds_more_than_there_is_or_breaks_the_bounds_of_its_controller(seed):
    simulation, cluster, states = explored(random_case(seed))
    nodes = {node.name: node for node in cluster.nodes}
    for state in states:
        assert all(count >= 0 for count in state.waiting)
        for name, content in zip(simulation.places.names, state.nodes, strict=True):
            assert all(count > 0 for _, _, count in content)
            used = {"pods": 0}
            for kind, phase, count in content:
                if phase in (STARTING, READY, LEAVING, EVICTED):
                    used["pods"] += count
                    for resource, amount in pod_requests(simulation.pod_types.kinds[kind].pod.spec).items():
                        used[resource] = used.get(resource, 0) + amount * count
            assert all(amount <= nodes[name].allocatable.get(resource, 0) for resource, amount in used.items())
        seen = census(state)
        for reconciler, control in zip(simulation.model.reconcilers, state.controls, strict=True):
            if isinstance(reconciler, DeploymentRollout) and not reconciler.rescaled:
                bounds = resolve(reconciler.strategy, reconciler.replicas)
                assert sum(control[:-2]) + max(0, control[-2]) <= reconciler.replicas + bounds.surge
                evicted = any(phase in (EVICTED, NOMINATED) for content in state.nodes for _, phase, _ in content)
                may_evict = len({kind.priority for kind in simulation.pod_types.kinds}) > 1
                if not evicted and not may_evict:
                    ready = sum(seen.ready(kind) for kind in reconciler.kinds)
                    assert ready >= reconciler.replicas - bounds.unavailable


@pytest.mark.parametrize("seed", range(30_040, 30_070))
def test_states_are_canonical_and_steps_change_something(seed):
    simulation, _, states = explored(random_case(seed), 100)
    for state in states:
        following = simulation.model.successors(state)
        assert state not in following
        assert len(set(following)) == len(following)
        for members in simulation.places.classes:
            for one in following:
                part = one.nodes[members.start : members.stop]
                assert list(part) == sorted(part)


def delete(count, *family):
    return Action((), "deletes", delete=(0, count), family=family or (0,))


def after(state, change, classes, *, ranked=False):
    numbers = tuple(number for number, members in enumerate(classes) for _ in members)
    chosen = list(deletions(state, change, numbers, ranked=ranked))
    return [canonical(without(state, 0, one), classes) for one in chosen]


def pods_of(state):
    waiting = [(-1, -1)] * state.waiting[0]
    bound = [
        (node, phase)
        for node, content in enumerate(state.nodes)
        for kind, phase, count in content
        for _ in range(count)
        if kind == 0 and phase != LEAVING
    ]
    return waiting + bound


def by_single_pods(state, count, classes, *, ranked):
    """Every set of pods that no pod left behind precedes."""
    crowd = [
        sum(many for kind, phase, many in content if phase in (READY, STARTING, BROKEN)) for content in state.nodes
    ]

    def rank(pod):
        node, phase = pod
        if phase in (-1, NOMINATED):
            return (0, 0)
        return (1, 0) if ranked or phase != READY else (2, -crowd[node])

    pods = pods_of(state)
    found = set()
    for chosen in itertools.combinations(range(len(pods)), count):
        left = [rank(pod) for number, pod in enumerate(pods) if number not in chosen]
        if left and max(rank(pods[number]) for number in chosen) > min(left):
            continue
        gone = state
        for number in chosen:
            node, phase = pods[number]
            gone = without(gone, 0, ((node, phase, 1),))
        found.add(canonical(gone, classes))
    return found


contents = st.lists(
    st.dictionaries(
        st.sampled_from([(0, NOMINATED), (0, STARTING), (0, READY), (0, BROKEN), (0, LEAVING), (1, READY)]),
        st.integers(1, 2),
        max_size=3,
    ),
    min_size=1,
    max_size=4,
)


@given(contents, st.integers(0, 2), st.integers(1, 4), st.booleans(), st.integers(0, 4))
@settings(max_examples=300, deadline=None)
def test_the_choices_are_those_of_single_pods(nodes, waiting, count, ranked, split):
    state = State((), (waiting, 0), tuple(tuple(sorted((*key, many) for key, many in one.items())) for one in nodes))
    split = min(split, len(nodes))
    classes = [members for members in (range(split), range(split, len(nodes))) if len(members)]
    state = canonical(state, classes)
    active = len(pods_of(state))
    if active < count:
        return
    found = after(state, delete(count, 0, 1), classes, ranked=ranked)
    assert set(found) == by_single_pods(state, count, classes, ranked=ranked)
    assert all(census(one).active(0) == active - count for one in found)


@pytest.mark.parametrize("equal", [True, False])
def test_pods_that_are_deleted_at_once_are_ranked_once(equal):
    state = State((), (0,), (((0, READY, 2),), ((0, READY, 2),)))
    classes = [range(2)] if equal else [range(1), range(1, 2)]
    emptied = on_node(on_node(state.nodes, 0, (0, READY, -2), (0, LEAVING, 2)), 1)
    assert emptied in {tuple(sorted(one.nodes, reverse=True)) for one in after(state, delete(2), classes)}


def test_the_most_crowded_nodes_are_first_for_all_of_them():
    state = State((), (0,), (((0, READY, 3),), ((0, READY, 2),)))
    (found,) = after(state, delete(2), [range(1), range(1, 2)])
    assert found.nodes == (((0, READY, 1), (0, LEAVING, 2)), ((0, READY, 2),))


def test_of_many_equal_nodes_there_is_one_choice():
    state = State((), (0,), (((0, READY, 1),),) * 3000)
    assert len(after(state, delete(1500), [range(3000)])) == 1
