"""Starts in which others crowd some nodes: the scheduler could have made them, and one shows that a rollout may stick."""

from __future__ import annotations

import random
from functools import cache

import pytest
from rollout_objects import GPU, apart, claim, cluster, deployment, job, judged, mounted, node, spread
from verdict_evidence.watch import claimed

from kubelint_gpu.simulation.asked import arranged
from kubelint_gpu.simulation.bounds.crowded_start import Crowd, crowded, homes_of
from kubelint_gpu.simulation.bounds.question import Decider
from kubelint_gpu.simulation.controllers.rollout_state import on_node
from kubelint_gpu.simulation.prepare.demand import takes
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.placements import one_placement
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace

APART = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "w"}}}
        ]
    }
}
UNKNOWN = Decider("search", lambda question: replace(question.blank, verdict=Verdict.UNDECIDED))


def without_a_search(ones):
    return [UNKNOWN if getattr(one, "name", "") == "search" else one for one in ones]


@pytest.mark.parametrize(("others", "verdict"), [(4, Verdict.MAY_STICK), (3, None)])
def test_others_that_can_fill_the_last_zone_keep_the_new_pod_out_of_it(others, verdict):
    mine = deployment("w", 2, 1, surge=1, unavailable=0, affinity=APART)
    on = [*(node(f"n{number}", 4, zone="ab"[number % 2]) for number in range(4)), node("last", 4, zone="c")]
    rest = [deployment(f"web{number}", 1, 1) for number in range(others)]
    with arranged(without_a_search):
        found = judged(mine, *on, beside=rest)
    assert (found.verdict is Verdict.MAY_STICK) == (verdict is not None)
    if verdict is not None:
        assert found.by == "crowded-start"
        assert found.runs.trace.waiting[0].owner == "Deployment/d/w"


def test_a_pod_that_can_be_nowhere_else_has_its_place_before_others_fill_the_node():
    mine = deployment("w", 1, 1, nodeSelector={"kubernetes.io/hostname": "pin"})
    others = [deployment(f"web{number}", 3, 1) for number in range(2)]
    with arranged(without_a_search):
        found = judged(mine, node("pin", 3), node("a", 4), node("b", 4), beside=others)
    assert (found.verdict, found.by) == (Verdict.MAY_STICK, "crowded-start")


def test_one_pod_on_each_node_keeps_a_pod_out_that_takes_a_whole_node():
    mine = deployment("w", 1, 4, surge=1, unavailable=0)
    others = [deployment(f"web{number}", 2, 1) for number in range(2)]
    with arranged(without_a_search):
        found = judged(mine, *(node(name, 4) for name in "abcde"), beside=others)
    assert (found.verdict, found.by) == (Verdict.MAY_STICK, "crowded-start")


def test_a_new_pod_that_is_bound_elsewhere_than_the_claim_of_the_old_one_waits():
    mine = deployment("w", 1, 1, volumes=mounted("data"))
    others = [deployment(f"web{number}", 2, 1) for number in range(2)]
    on = [*claim("data", "ReadWriteOnce"), *(node(f"n{number}", 4) for number in range(40))]
    with arranged(without_a_search):
        found = judged(mine, *on, beside=others)
    assert (found.verdict, found.by) == (Verdict.MAY_STICK, "crowded-start")


NAMES = ("a", "b", "c", "d")


@cache
def simulated(seed):
    """The largest group of some workloads at rest, and one placement of it."""
    draws = random.Random(seed)
    rules = ({}, {}, {"affinity": apart}, {"topologySpreadConstraints": spread})
    workloads = []
    for number in range(6):
        name, rule = f"w{number}", draws.choice(rules)
        spec = {key: made(name) for key, made in rule.items()}
        workloads.append(deployment(name, draws.randint(1, 2), 1, **spec))
    nodes = [node(name, 8, zone="ab"[number % 2]) for number, name in enumerate(NAMES)]
    found = []
    with claimed(lambda claim: found.append(claim.situation)):
        judge([Transition(one, one) for one in workloads], cluster(*nodes))
    situation = max(found, key=lambda one: len(one.participants))
    simulation = GroupSearch(situation).simulation(frozenset({0}), ())
    return simulation, one_placement(simulation)


def test_pods_of_a_job_leave_the_others_their_places():
    whole, task = deployment("w", 1, 8), job("j", 1)
    found = []
    with claimed(lambda claim: found.append(claim.situation)):
        judge([Transition(one, one) for one in (whole, task)], cluster(node("a", 8), node("b", 1)))
    simulation = GroupSearch(found[-1]).simulation(frozenset(), ())
    start = crowded(simulation, Crowd(frozenset("ab")))
    assert start is not None
    owners = [[simulation.pod_types.kinds[kind].owner for kind, *_ in content] for content in start.nodes]
    assert owners == [["Deployment/d/w"], ["Job/d/j"]]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("early", [False, True])
def test_every_pod_runs_and_each_could_have_come_last(seed, early):
    simulation, base = simulated(seed)
    kinds, mine = simulation.pod_types.kinds, frozenset(simulation.pod_types.members[0])
    start = crowded(simulation, Crowd(frozenset("ab"), mine, early=early, homes=homes_of(simulation, base)))
    assert start is not None
    placed = [0] * len(kinds)
    for index, content in enumerate(start.nodes):
        assert sum(_gpus(kinds[kind]) * count for kind, _, count in content) <= 8
        for kind, phase, count in content:
            placed[kind] += count
            without = start._replace(nodes=on_node(start.nodes, index, (kind, phase, -1)))
            if simulation.places.local[kind]:
                assert simulation.places.fits_on(kind, index, without)
    assert tuple(placed) == simulation.pod_types.wanted


def test_pods_stand_at_home_unless_they_crowd_the_nodes():
    simulation, base = simulated(3)
    homes = homes_of(simulation, base)
    start = crowded(simulation, Crowd(frozenset(), homes=homes))
    assert {pod: sorted(names) for pod, names in homes_of(simulation, start).items()} == {
        pod: sorted(names) for pod, names in homes.items()
    }


def _gpus(kind):
    return takes(kind.pod).get(GPU, 0)
