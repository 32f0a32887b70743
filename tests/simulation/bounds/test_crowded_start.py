"""Rollouts that may stick because others crowd the only zone that is left: one start shows it."""

from __future__ import annotations

import pytest
from rollout_objects import deployment, judged, node

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
        assert found.trace.waiting[0].owner == "Deployment/d/w"
