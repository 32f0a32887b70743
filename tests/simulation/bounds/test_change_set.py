"""Rollouts that begin at the same moment as everything else that one apply changes."""

from __future__ import annotations

import pytest
from left_out import without
from rollout_changes import change_case, scaled_case
from rollout_objects import cluster, deployment, node, workload
from rollout_reference import Reference, TooLarge, program_input

from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace

SEEDS = range(30_000, 30_120)
MAY, STUCK, DONE, OPEN = Verdict.MAY_STICK, Verdict.STUCK, Verdict.COMPLETES, Verdict.UNDECIDED


def wanted(case):
    try:
        return Reference(case, most=1_500).changed()
    except TooLarge:
        return None


def is_wrong(case, verdict, truth):
    """Whether something is said of the first rollout that is not so.

    That others which are rolled, too, stop one that ends by itself is told of all of them together.
    """
    others_roll = any(work.changes and work.rolls and work.started for work in case.works[1:])
    if verdict is Verdict.COMPLETES:
        return truth != "completes" and not others_roll
    return (verdict is STUCK and truth != "stuck") or (verdict is MAY and truth == "completes")


@pytest.mark.thorough
def test_random_changes_are_judged_as_brute_force_judges_them(pinned):
    wrong, exact, counted, seen = [], 0, 0, set()
    for seed in SEEDS:
        case = change_case(seed)
        truth = wanted(case)
        transitions, nodes = program_input(case)
        verdict = judge(transitions, nodes)[0].verdict
        with without("counting-shares"):
            unsearched = judge(transitions, nodes, budget=12)[0].verdict
        seen.add(unsearched)
        told = [one for one in (verdict, unsearched) if truth is not None and one is not None]
        wrong += [(seed, truth, one) for one in told if is_wrong(case, one, truth)]
        if truth is not None and verdict is not None:
            counted += 1
            exact += verdict.value == truth
    assert not wrong
    assert exact
    assert {MAY, STUCK, DONE, OPEN} <= seen
    pinned(drawn=len(SEEDS), counted=counted, exact=exact)


def test_a_rollout_that_is_scaled_by_the_same_change_is_judged_as_brute_force_judges_it(pinned):
    seen, by_bound = [], 0
    for seed in range(100):
        case = scaled_case(seed)
        truth = wanted(case)
        transitions, nodes = program_input(case)
        found = judge([replace(one, known=True) for one in transitions], nodes)[0]
        if truth is None or found.verdict is None:
            continue
        seen.append((seed, truth, found.verdict.value))
        by_bound += not found.runs.searched
    assert [one for one in seen if one[1] != one[2]] == []
    pinned(drawn=100, compared=len(seen), by_bound=by_bound)
    assert {"stuck", "completes"} <= {truth for _, truth, _ in seen}


@pytest.mark.parametrize(
    ("before", "after", "gpus", "surge", "unavailable", "expected"),
    [
        (4, 10, (6, 4), "50%", 0, STUCK),
        (4, 9, (5, 4), 5, 0, STUCK),
        (2, 6, (4, 3), "25%", "25%", DONE),
        (1, 4, (2, 3, 1), 1, 0, DONE),
        (9, 4, (5, 4), 1, 0, DONE),
    ],
)
def test_places_needed_are_those_of_the_new_replicas(before, after, gpus, surge, unavailable, expected):
    on = cluster(*[node(f"n{number}", count) for number, count in enumerate(gpus)])
    found = judge([change("x", before, after, surge=surge, unavailable=unavailable)], on)[0]
    assert (found.verdict, found.runs.searched) == (expected, False)


def test_pods_of_another_size_that_always_find_room_end_whatever_the_replicas_were():
    old, new = deployment("x", 1, 2, 1, 2), deployment("x", 5, 1, 1, 2)
    found = judge([Transition(new, old, known=True)], cluster(node("a", 6), node("b", 5)))[0]
    assert (found.verdict, found.runs.searched) == (DONE, False)


def change(name, before, after, gpus=1, *, rolls=True, surge=1, unavailable=0, **spec):
    """A Deployment of so many pods before and after, its template changed, too, where it `rolls`."""
    old, new = (deployment(name, count, gpus, surge, unavailable, **spec) for count in (before, after))
    return Transition(new, old, rolls=rolls, known=True)


def nodes(count, gpus=1):
    return cluster(*[node(f"n{number:02}", gpus) for number in range(count)])


def others(count, **more):
    return [change(f"o{number}", 3, 3, **more) for number in range(count)]


@pytest.mark.parametrize(("shrinks_to", "expected"), [(1, DONE), (2, DONE), (3, STUCK)])
def test_a_neighbour_among_many_that_is_scaled_down_makes_room(shrinks_to, expected):
    changes = [change("x", 3, 3), change("s", 3, shrinks_to, rolls=False), *others(6)]
    found = judge(changes, nodes(24))
    assert [one.verdict for one in found if one.verdict is not None] == [expected] * 7
    assert not any(one.company for one in found)


@pytest.mark.parametrize(("grows_to", "expected"), [(4, DONE), (5, STUCK)])
def test_one_grows_while_one_shrinks(grows_to, expected):
    changes = [change("x", 3, grows_to), change("s", 3, 1, rolls=False), *others(6, rolls=False)]
    assert judge(changes, nodes(24))[0].verdict is expected


def test_a_neighbour_that_gives_a_pod_away_first_leaves_it_to_luck_and_the_run_begins_behind_the_others():
    changes = [change("x", 3, 3), *others(6), change("g", 3, 3, surge=0, unavailable=1)]
    found = judge(changes, nodes(24))
    assert (found[0].verdict, len(found[0].company)) == (MAY, 7)
    assert found[0].runs.trace is not None
    assert found[0].runs.trace.waiting[0].owner == "Deployment/d/x"
    assert found[7].verdict is DONE


def test_what_is_scaled_up_where_another_is_scaled_down_finds_room():
    changes = [change("x", 3, 5, rolls=False), change("s", 3, 1, rolls=False), *others(6, rolls=False)]
    assert [(one.room.placed, one.room.wanted) for one in judge(changes, nodes(24))[:2]] == [(5, 5), (1, 1)]
    two = [change("x", 1, 2, 2, rolls=False), change("s", 3, 1, rolls=False)]
    assert judge(two, nodes(1, 5))[0].room.placed == 2


def test_rollouts_that_block_each_other_do_not_where_a_third_is_scaled_down():
    pair = [change(name, 1, 1, 2, surge=1, unavailable=0) for name in ("a", "b")]
    third = change("c", 2, 1, rolls=False)
    assert judge_together([*pair, replace(third, new=third.old)], cluster(node("n", 7)))[0].verdict is not DONE
    assert judge_together([*pair, third], cluster(node("n", 7)))[0].verdict is DONE


def mixed(shrinks_to, gpus=1):
    """Pods of two sizes on many nodes, all full: one needs a node for itself."""
    pairs = [change(f"p{number}", 2, 2, 2, rolls=False) for number in range(4)]
    return [change("x", 2, 2, 2), change("s", 4, shrinks_to, gpus, rolls=False), *pairs, *others(2, rolls=False)]


def test_pods_of_several_sizes_on_many_nodes_are_never_certain_to_wait_where_others_leave():
    assert judge(mixed(4), nodes(15, 2))[0].verdict is STUCK
    assert judge(mixed(1), nodes(15, 2))[0].verdict in (MAY, OPEN, DONE)


def test_what_others_hold_that_stay_makes_it_certain_whoever_else_leaves():
    pinned = {"nodeSelector": {"kubernetes.io/hostname": "n00"}}
    stays = [change("y", 1, 1, 2, rolls=False, **pinned)]
    moving = [change(f"m{number}", 3, 2, 2) for number in range(7)]
    found = judge([change("x", 1, 1, 2, **pinned), *stays, *moving], nodes(24, 4))
    assert (found[0].verdict, found[0].company) == (STUCK, ())


def test_what_is_undecided_says_how_it_goes_by_itself():
    assert judge(mixed(1, 2), nodes(17, 2))[0].verdict is DONE
    found = judge(mixed(1, 2), nodes(17, 2), budget=200)[0]
    assert (found.verdict, found.runs.by_itself) == (OPEN, STUCK)
    assert [one.meta.name for one in found.company] == ["s"]


def test_a_new_workload_may_take_the_place_that_a_rollout_leaves():
    keeps_free = {"surge": 0, "unavailable": 1, "nodeSelector": {"kubernetes.io/hostname": "a"}}
    new = replace(deployment("new"), replicas=1)
    changes = [change("x", 1, 1, **keeps_free), Transition(new, new, existing=False)]
    found = judge(changes, cluster(node("a"), node("b")))[0]
    assert found.verdict is MAY
    assert "pod of Deployment d/new" in " ".join(step.message for step in found.runs.trace.steps)
    pinned = deployment("new", nodeSelector={"kubernetes.io/hostname": "b"})
    changes[1] = Transition(pinned, pinned, existing=False)
    assert judge(changes, cluster(node("a"), node("b")))[0].verdict is DONE


def new(one):
    return Transition(one, one, existing=False)


@pytest.mark.parametrize(
    ("gpus", "gives", "expected"), [(1, 1, MAY), (2, 1, DONE), (2, 0, MAY), (3, 0, DONE), (1, 0, STUCK)]
)
def test_pods_of_a_new_daemon_set_come_before_or_after_those_that_a_rollout_makes(gpus, gives, expected):
    daemons = new(workload("DaemonSet", "d"))
    found = judge([change("x", 1, 1, surge=1 - gives, unavailable=gives), daemons], cluster(node("n", gpus)))[0]
    assert (found.verdict, found.room.placed) == (expected, 1)
    # a race is lost to somebody: the verdict names whose pods may come first
    assert [one.key for one in found.company] == (["DaemonSet/d/d"] if expected is MAY else [])
    if expected is MAY:
        assert found.runs.trace.waiting[0].lacks[0].owners == {"DaemonSet/d/d"} | (
            {"Deployment/d/x"} if gpus > 1 else set()
        )


def test_what_runs_and_does_not_change_keeps_its_place_beside_a_new_daemon_set():
    still = change("x", 1, 1, rolls=False)
    x, daemons = judge([still, new(workload("DaemonSet", "d"))], cluster(node("n")))
    assert (x.verdict, x.room.placed, daemons.room.placed) == (None, 1, 0)
