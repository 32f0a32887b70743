"""What the real API server accepted is not called invalid, and what it refused is found, or let pass for a reason."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from page_sections import counts_of

from conformance import page, recording, refusals

FILES = page.recordings(Path(__file__).resolve().parents[1] / "golden", "validation")


def test_both_releases_are_recorded():
    assert len(FILES) >= 2


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_linter_agrees_about_every_recorded_object(path):
    records = list(recording.read(path))
    counts = counts_of(path, records)
    assert counts.total() == len(records) >= 1000
    assert counts["accepted, the linter finds nothing"] >= 250
    assert counts["refused (Invalid), the linter too: every field that is named"] >= 400
    assert counts["refused (BadRequest), the linter too: every field that is named"] >= 400
    assert counts["refused (Invalid), the linter too: some of the fields that are named"] <= 30
    passed = {name: count for name, count in counts.items() if name.startswith("refused (Invalid), the linter finds")}
    assert sum(n for name, n in passed.items() if not name.endswith((refusals.BY_PROGRAM, refusals.BEHAVIOR))) <= 62


def test_another_answer_would_be_told():
    by_name = {record["id"]: record for record in recording.read(FILES[0])}
    refused, accepted = copy.deepcopy(by_name["disruption-budget-001"]), copy.deepcopy(by_name["pod-valid"])
    assert refusals.compared([refused, accepted])[1] == []
    refused["accepted"] = True
    accepted |= {"accepted": False, "reason": "Invalid", "message": "no", "causes": [{"field": "spec.nodeName"}]}
    counts, wrong = refusals.compared([refused, accepted])
    assert [each.partition(":")[0] for each in wrong] == ["disruption-budget-001", "pod-valid"]
    assert counts == {
        "accepted, the linter calls it invalid": 1,
        "refused (Invalid), the linter finds nothing: for no known reason": 1,
    }


@pytest.mark.parametrize(
    ("causes", "why"),
    [
        ([("spec.containers", "Required value")], refusals.PATCH),
        ([("spec.containers[0].image", "Required value"), ("spec.nodeName", "Invalid value")], refusals.PATCH),
        ([("spec.dnsPolicy", "Unsupported value")], refusals.ELSEWHERE),
        ([("spec.dnsPolicy", "Unsupported value"), ("spec.nodeName", "Invalid value")], ""),
    ],
)
def test_every_cause_needs_a_reason_but_of_a_patch_nothing_is_judged(causes, why):
    told = [{"field": field, "message": message} for field, message in causes]
    assert refusals.known({"reason": "Invalid", "message": "no", "causes": told}) == why
