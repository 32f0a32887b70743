"""Rollouts that may stick because others crowd the only zone that is left: one start shows it."""

from __future__ import annotations

import pytest
from rollout_objects import claim, deployment, judged, mounted, node

from kubelint_gpu.simulation.asked import arranged
from kubelint_gpu.simulation.bounds.question import Decider
from kubelint_gpu.simulation.search.verdict import Verdict
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
