"""Judgements put together: of several orders the worst counts, and that it may be so."""

from __future__ import annotations

import pytest
from rollout_objects import deployment

from kubelint_gpu.simulation.search.verdict import Judgement, PodRoom, Verdict, rank, worst

STUCK, MAY, DONE, OPEN = Verdict.STUCK, Verdict.MAY_STICK, Verdict.COMPLETES, Verdict.UNDECIDED
WEB = deployment("web", 3, 1)


def judgement(verdict, placed=3):
    return Judgement(WEB, verdict, room=PodRoom(3, placed))


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ([(STUCK, 3), (STUCK, 3)], (STUCK, 3)),
        ([(DONE, 3), (STUCK, 3)], (MAY, 3)),
        ([(MAY, 3), (DONE, 3)], (MAY, 3)),
        ([(DONE, 3), (OPEN, 3), (MAY, 3)], (OPEN, 3)),
        ([(DONE, 3), (None, 2)], (None, 2)),
        ([(None, 2), (STUCK, 1)], (MAY, 1)),
    ],
)
def test_the_worst_order_counts_and_is_certain_only_where_all_are_alike(found, told):
    one = worst([judgement(*each) for each in found])
    assert (one.verdict, one.room.placed) == told


def test_verdicts_stand_between_the_worst_and_the_best():
    assert sorted([DONE, None, MAY, OPEN, STUCK], key=rank) == [None, STUCK, OPEN, MAY, DONE]


def test_without_work_left_all_pods_are_taken_to_have_places():
    one = Judgement.undecided(WEB)
    assert (one.verdict, not one.runs.searched, one.room.wanted, one.room.placed, one.room.alone) == (
        OPEN,
        False,
        3,
        3,
        3,
    )
