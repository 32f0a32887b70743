"""The judgement against a brute force that folds nothing; many more cases: `python tests/conformance/rollouts.py`."""

from __future__ import annotations

from collections import Counter

import pytest
from left_out import only_search
from reference_cases import FEATURES
from rollout_reference import (
    Case,
    Node,
    Reference,
    Template,
    TooLarge,
    Work,
    featured_case,
    program_input,
    program_rolled_back,
    program_verdict,
    random_case,
    rolled_back_case,
)

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import replace

SEEDS = range(20_000, 20_120)


def differs(case, most=1_500, seen=None):
    """What the two say where they differ; None where they agree, and where the case is too large or nobody competes.

    `seen` gets the verdict, and whether a bound gave it.
    """
    reference = Reference(case, most)
    try:
        wanted, _ = reference.verdict()
    except TooLarge:
        return "skipped"
    found, by_bound = program_verdict(case)
    if seen is not None:
        seen.add((found, by_bound))
    if found == "apart":
        return "skipped"
    said = found.value if found is not None else None
    if said == wanted or (wanted is None and said == reference.also()):
        return None
    return wanted, said


def agreed(found):
    """How many cases agree and how many were too large, of cases of which none differs."""
    assert {seed: one for seed, one in found.items() if one not in (None, "skipped")} == {}
    count = Counter(found.values())
    assert count[None]
    return {"agreed": count[None], "skipped": count["skipped"]}


def test_random_small_cases_are_judged_as_brute_force_judges_them(pinned):
    seen = set()
    pinned(**agreed({seed: differs(random_case(seed), seen=seen) for seed in SEEDS}))
    both = {(one, by_bound) for one in (Verdict.STUCK, Verdict.COMPLETES) for by_bound in (True, False)}
    assert both | {(Verdict.MAY_STICK, False)} <= seen


@pytest.mark.parametrize("feature", range(len(FEATURES)), ids=sorted(FEATURES))
def test_cases_with_something_of_their_own_are_judged_as_brute_force_judges_them(feature, pinned):
    seeds = range(feature + 700 * len(FEATURES), feature + 708 * len(FEATURES), len(FEATURES))
    pinned(**agreed({seed: differs(featured_case(seed)[1]) for seed in seeds}))


@pytest.mark.parametrize("seed", range(120))
def test_a_set_whose_old_pods_fit_nowhere_is_told_of_where_it_never_gets_to_its_new_ones(seed):
    case = rolled_back_case(seed)
    assert Reference(case).rolled_back() == program_rolled_back(case)


PLACE, WIDE = Template(), Template(gpu=2)
THREE = tuple(Node(f"n{number}", "a", 1, 4, 8) for number in range(3))
JOINS = Node("pool", "b", 2, 4, 8)


@pytest.mark.parametrize(
    ("case", "verdict"),
    [
        # a node that is not there yet is no domain of a spread: both find room before it joins for the wide pod
        (
            Case(
                THREE,
                (
                    Work("Deployment", "w0", 1, PLACE, PLACE, 2, 0),
                    Work("StatefulSet", "w1", 2, *[Template(anti="host", spread="zone", by_revision=True)] * 2, 0, 1),
                    Work("StatefulSet", "w2", 1, WIDE, WIDE, 1, 1),
                ),
                gate=True,
                pool=JOINS,
                most=1,
            ),
            Verdict.STUCK,
        ),
        # which of two pods the node joined for depends on who came first
        (
            Case(
                THREE[:2],
                (
                    Work("Deployment", "w0", 1, Template(anti="host"), Template(anti="host"), 1, 0),
                    Work("Deployment", "w1", 2, PLACE, PLACE, 1, 0),
                ),
                known=((1, "n1"),),
                pool=JOINS,
                most=1,
            ),
            Verdict.MAY_STICK,
        ),
        # pods of others give way before a node has joined
        (
            Case(
                (*THREE[:2], Node("n2", "a", 1, 2, 2)),
                (
                    Work("Deployment", "w0", 2, Template(cpu=2), Template(cpu=2), 1, 0),
                    Work("Outside", "w1", 2, *[Template(cpu=1, priority=-5)] * 2),
                ),
                known=((1, "n0"), (1, "n1")),
                pool=JOINS,
                most=2,
            ),
            Verdict.COMPLETES,
        ),
    ],
)
def test_rollouts_beside_a_pool_that_grows(case, verdict):
    assert Reference(case).verdict()[0] == verdict.value
    assert program_verdict(case)[0] is verdict


@pytest.mark.parametrize("seed", [1910, 3863, 4231])
def test_others_keep_what_they_have_and_a_pod_that_only_its_own_pods_give_way_to_finds_no_room(seed):
    case = random_case(seed)
    found, _ = program_verdict(case)
    assert Reference(case).verdict()[0] == (found.value if found is not None else None)


def turned(case):
    """The same with nodes and workloads in the other order; None where one of several, or of known pods, is meant."""
    if len(case.judged) > 1 or case.known:
        return None
    names = [node.name for node in case.nodes]
    nodes = tuple(replace(node, name=name) for node, name in zip(case.nodes[::-1], names, strict=True))
    works = case.works[::-1]
    return replace(case, nodes=nodes, works=works, judged=(len(works) - 1 - case.judged[0],))


def test_neither_the_names_of_nodes_nor_the_order_of_workloads_change_a_verdict():
    pairs = {seed: (case, turned(case)) for seed in range(21_000, 21_080) for case in [random_case(seed)]}
    pairs = {seed: pair for seed, pair in pairs.items() if pair[1] is not None}
    assert len(pairs) >= 40
    found = {seed: [program_verdict(case)[0] for case in pair] for seed, pair in pairs.items()}
    assert {seed: pair for seed, pair in found.items() if pair[0] != pair[1]} == {}


def test_bounds_and_search_agree_wherever_both_answer(pinned):
    cases = {seed: random_case(seed) for seed in range(22_000, 22_110)}
    found = {seed: program_verdict(case) for seed, case in cases.items()}
    bounded = {seed: verdict for seed, (verdict, by_bound) in found.items() if by_bound and verdict is not None}
    with only_search():
        searched = {seed: program_verdict(cases[seed]) for seed in bounded}
    assert {seed: verdict for seed, (verdict, _) in searched.items()} == bounded
    count = Counter(verdict.value for verdict in bounded.values())
    assert len(bounded) >= 40
    pinned(drawn=len(cases), **dict(sorted(count.items())))


@pytest.mark.parametrize("gpus", [1, 2, 3])
@pytest.mark.parametrize("surge", [(1, 0), (0, 1), (1, 1)])
def test_a_healthy_rollout_reaches_its_end(gpus, surge):
    template = Template()
    case = Case(
        tuple(Node(f"n{i}", "a", gpus, 8, 8) for i in range(3)),
        (Work("Deployment", "w", gpus, template, template, *surge),),
    )
    transitions, cluster = program_input(case)
    assert judge(transitions, cluster)[0].verdict is Verdict.COMPLETES


@pytest.mark.parametrize("seed", [500_696])
def test_pods_of_others_that_are_driven_away_by_one_who_waits(seed):
    assert differs(random_case(seed), 6_000) is None


@pytest.mark.parametrize(("seed", "verdict"), [(2_002_824, None), (2_004_761, "may-stick"), (2_003_878, None)])
def test_who_has_no_place_at_first_is_told_apart_from_who_never_has_one(seed, verdict):
    case = featured_case(seed)[1]
    assert Reference(case).verdict()[0] == verdict
    assert differs(case, 6_000) is None


@pytest.mark.parametrize(("cpu", "verdict"), [(4, None), (6, "completes")])
def test_pods_near_to_daemon_pods_that_give_way_need_room_of_their_own(cpu, verdict):
    old = Template(cpu=2, priority=10, near="host", near_to=0)
    works = (
        Work("DaemonSet", "w0", 1, Template(gpu=0, port=80), Template(port=80), 0, 1),
        Work("StatefulSet", "w1", 3, old, replace(old, pool="a"), 1, 1),
    )
    case = Case((Node("n0", "a", 3, cpu, 8), Node("n1", "b", 3, 4, 8)), works, judged=(1,))
    assert Reference(case).verdict()[0] == verdict
    assert differs(case, 6_000) is None


def test_pods_nominated_to_other_nodes_are_not_seen_by_the_one_that_is_placed():
    """kube-scheduler adds those nominated to the node that it looks at (RunFilterPluginsWithNominatedPods)."""
    old = Template(gpu=2, near="zone")
    new = replace(old, cpu=1, priority=10)
    nodes = (Node("n0", "a", 2, 4, 8), Node("n1", "a", 2, 2, 8), Node("n2", "b", 2, 4, 2))
    case = Case(nodes, (Work("Deployment", "w0", 2, old, new, 0, 1),))
    assert Reference(case, 1_500).verdict()[0] == "may-stick"
    assert program_verdict(case)[0] is Verdict.MAY_STICK
