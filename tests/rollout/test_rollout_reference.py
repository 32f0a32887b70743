"""The judgement against a brute force that folds nothing; all 10,000 cases: `python tests/conformance/rollouts.py`."""

from __future__ import annotations

import pytest
from rollout_reference import (
    Case,
    Node,
    Reference,
    Template,
    TooLarge,
    Work,
    program_input,
    program_verdict,
    random_case,
)

from kubelint_gpu.rollout import court, jury
from kubelint_gpu.rollout.explorer import Verdict
from kubelint_gpu.rollout.judgement import judge
from kubelint_gpu.values import replace

SEEDS = range(20_000, 20_240)


def test_random_small_cases_are_judged_as_brute_force_judges_them():
    wrong, counted = [], 0
    for seed in SEEDS:
        case = random_case(seed)
        try:
            wanted, _ = Reference(case, most=1_500).verdict()
        except TooLarge:
            continue
        found, _ = program_verdict(case)
        if found == "apart":
            continue
        counted += 1
        if wanted != (found.value if found is not None else None):
            wrong.append((seed, wanted, found))
    assert not wrong
    assert counted > len(SEEDS) * 0.8


@pytest.mark.parametrize("seed", [1910, 3863, 4231])
def test_others_keep_what_they_have_and_a_pod_that_only_its_own_pods_give_way_to_finds_no_room(seed):
    case = random_case(seed)
    found, _ = program_verdict(case)
    assert Reference(case).verdict()[0] == (found.value if found is not None else None)


def test_the_random_cases_hold_every_verdict_by_bound_and_by_search():
    seen = set()
    for seed in SEEDS:
        verdict, by_bound = program_verdict(random_case(seed))
        seen.add((verdict, by_bound))
    wanted = {Verdict.STUCK, Verdict.COMPLETES}
    assert {(one, bound) for one in wanted for bound in (True, False)} <= seen
    assert (Verdict.MAY_STICK, False) in seen


@pytest.mark.parametrize("seed", range(21_000, 21_060))
def test_neither_the_names_of_nodes_nor_the_order_of_workloads_change_a_verdict(seed):
    case = random_case(seed)
    if len(case.judged) > 1 or case.known:
        return
    names = [node.name for node in case.nodes]
    turned = tuple(replace(node, name=name) for node, name in zip(case.nodes[::-1], names, strict=True))
    works = case.works[::-1]
    other = replace(case, nodes=turned, works=works, judged=(len(works) - 1 - case.judged[0],))
    assert program_verdict(case)[0] == program_verdict(other)[0]


@pytest.mark.parametrize("seed", range(22_000, 22_150))
def test_bounds_and_search_agree_wherever_both_answer(seed, monkeypatch):
    case = random_case(seed)
    verdict, by_bound = program_verdict(case)
    if not by_bound or verdict is None:
        return
    monkeypatch.setattr(court, "always_room", lambda *_, **__: False)
    monkeypatch.setattr(jury, "group_slots", lambda *_: None)
    monkeypatch.setattr(jury, "own_slots", lambda *_: None)
    monkeypatch.setattr(jury.Jury, "_by_node", lambda *_: None)
    monkeypatch.setattr(jury, "finds_its_own_places", lambda *_, **__: False)
    searched, by_bound = program_verdict(case)
    assert not by_bound
    assert searched == verdict


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
