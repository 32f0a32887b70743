"""Which pods are deleted where there are too many: against every choice among single pods."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubelint_gpu.simulation.controllers.reconciler import Action
from kubelint_gpu.simulation.controllers.rollout_state import (
    BROKEN,
    LEAVING,
    NOMINATED,
    READY,
    STARTING,
    State,
    canonical,
    census,
    on_node,
)
from kubelint_gpu.simulation.model.deletions import deletions, without


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
