"""A pinned rollout sticks beside whatever others do, and no search has to look at them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollout_objects import deployment, job, judged, node, workload

from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import replace

PINNED = {"nodeSelector": {"kubernetes.io/hostname": "n0"}}
HIGHER, LOWER = 1000, -1000


def at(one, priority):
    """A workload whose pods have a priority."""
    return replace(one, spec=replace(one.spec, priority=priority))


def first(mine, *others, on):
    return judged(mine, *on, beside=others)


FARM = [node(f"n{number}", 1) for number in range(12)]


def test_one_that_is_pinned_sticks_without_all_others():
    webs = [deployment(f"web{number}", 3, 0) for number in range(10)]
    found = first(deployment("w", 1, 1, **PINNED), *webs, on=FARM)
    assert (found.verdict, found.by) in {(Verdict.STUCK, "without-others"), (Verdict.STUCK, "counting-nodes")}
    assert found.states < 100


def test_a_full_pool_sticks_beside_a_job_that_it_can_evict():
    """Before anything is rolled, the pool leaves the Job no GPU."""
    pool = [at(deployment(name, 2, 1, surge=1, unavailable=0), HIGHER) for name in ("a", "b")]
    found = first(*pool, at(job("batch", 1), LOWER), on=FARM[:4])
    assert (found.verdict, found.by) == (Verdict.STUCK, "without-weaker")


def test_it_only_may_beside_one_that_it_cannot_evict():
    """The Job may have had a GPU, which it gives back when it ends."""
    pool = [deployment(name, 2, 1, surge=1, unavailable=0) for name in ("a", "b")]
    found = first(*pool, job("batch", 1), on=FARM[:5])
    assert found.verdict is not Verdict.STUCK


OTHERS = {
    "a web server": lambda: deployment("web", 3, 0),
    "a class of lower priority": lambda: at(deployment("batch", 2, 0), LOWER),
    "a stateful one": lambda: workload("StatefulSet", "db", 2, 0),
    "one on other nodes": lambda: deployment("far", 2, 1, nodeSelector={"zone": "b"}),
}


@pytest.mark.parametrize("surge", [0, 1])
@given(st.lists(st.sampled_from(sorted(OTHERS)), unique=True))
def test_more_knowledge_of_what_does_not_matter_changes_no_verdict(surge, names):
    """Adding a workload that has room of its own leaves the verdict of the others as it is."""
    mine = deployment("w", 1, 1, surge=surge, unavailable=1 - surge, **PINNED)
    on = [*FARM[:3], *(node(f"m{number}", 1, zone="b") for number in range(4))]
    alone = first(mine, on=on)
    assert first(mine, *(OTHERS[name]() for name in names), on=on).verdict is alone.verdict
    assert alone.verdict is (Verdict.STUCK if surge else Verdict.COMPLETES)
