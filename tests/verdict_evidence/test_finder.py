"""No evidence is found for the contrary of a verdict."""

from __future__ import annotations

import pytest
from evidence_cases import CASES, judged

from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import replace
from verdict_evidence.checker import NotShown, check
from verdict_evidence.finder import shown

CONTRARY = {
    Verdict.COMPLETES: (Verdict.STUCK, Verdict.MAY_STICK),
    Verdict.STUCK: (Verdict.COMPLETES, Verdict.MAY_STICK),
    Verdict.MAY_STICK: (Verdict.COMPLETES, Verdict.STUCK),
}


@pytest.mark.parametrize("kind", CASES)
def test_the_contrary_of_a_verdict_is_never_shown(kind):
    contradicted = 0
    for case in CASES[kind][::3]:
        for _, claim, evidence in judged(case):
            if evidence is None or claim.short:
                continue
            for verdict in CONTRARY.get(claim.verdict, ()):
                false = replace(claim, verdict=verdict)
                with pytest.raises(NotShown):
                    check(false, evidence)
                try:
                    assert shown(false, claim.situation.participants[claim.positions[0]].new.key) is None
                except NotShown:
                    contradicted += 1
    assert contradicted
