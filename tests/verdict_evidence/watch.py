"""Each answer of a decider is shown to the checker as soon as it is known."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import partial

from kubelint_gpu.simulation.asked import watched
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.work import limited
from verdict_evidence.checker import Claim
from verdict_evidence.finder import shown


@contextmanager
def checked(seen=lambda *_: None):
    """Check the evidence of every verdict within; `seen` gets the decider's name, its claim and the evidence, or None.

    A verdict that is shown to be wrong raises `checker.NotShown`. The work is charged to nobody.
    """

    def shown_to(name, claim, ends):
        with watched(None), limited(sys.maxsize):
            evidence = shown(claim, ends)
        seen(name, claim, evidence)

    with watched(partial(_tell, shown_to)):
        yield


@contextmanager
def claimed(seen):
    """`seen` gets each verdict within as a claim, whose evidence nobody looks for."""
    with watched(partial(_tell, lambda _name, claim, _ends: seen(claim))):
        yield


def _tell(seen, question, found, *more):
    if isinstance(question, Question):
        name, ends, claim = _of_one(question, found, *more)
    elif found.verdict is not None:
        name, ends, claim = _of_a_group(question, found)
    else:
        return
    seen(name, claim, ends)


def _of_one(question, found, name, moving):
    """What is claimed of one rollout, while those that are `moving` change at the same moment."""
    room = found.room
    verdict = None if room.is_short else found.verdict
    amounts = room.is_short, room.wanted, room.placed, found.runs.trace
    claim = Claim(question.situation, (question.position,), moving, verdict, *amounts)
    return name, question.participant.new.key, claim


def _of_a_group(question, found):
    """What is claimed of all rollouts that begin at the same moment; with `ends`, of one."""
    moving = frozenset(place for place, one in enumerate(question.situation.participants) if one.moves)
    places = tuple(sorted(question.rolling))
    return "together", question.ends, Claim(question.situation, places, moving, found.verdict, trace=found.runs.trace)
