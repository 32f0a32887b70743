"""What the real control plane did with recorded rollouts never contradicts the verdict."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from conformance import recording
from conformance.compare import comparable, compared, rolled
from conformance.rollout_case import reference

FILES = sorted((Path(__file__).resolve().parents[1] / "golden" / "rollouts").glob("*.jsonl.xz"))
RECORDS = [record for path in FILES for record in recording.read(path)]
# these take 3 to 17 s of a processor each
SLOW = {
    *(f"random-7-{number}" for number in ("0035", "0130", "0227", "0247", "0255", "0312", "0313")),
    *(f"random-101-{number}" for number in ("0015", "0023", "0070", "0076")),
    *("random-202-0024", "device-network-shared"),
}
QUICK = [record for record in RECORDS if record["id"] not in SLOW]
ALL = [pytest.param(one, marks=pytest.mark.thorough) if one["id"] in SLOW else one for one in RECORDS]


def test_two_releases_are_recorded_and_nearly_everything_is_replayed():
    assert len(FILES) >= 2
    assert {record["id"] for record in RECORDS} >= SLOW
    assert len(QUICK) >= 700
    assert len(RECORDS) - len(QUICK) <= 2 * len(SLOW)
    assert sum(1 for record in QUICK if comparable(record)) <= 20


@pytest.mark.parametrize("record", ALL, ids=lambda record: f"{record['kubernetes']}-{record['id']}")
def test_the_verdict_agrees_with_every_run_that_was_seen(record):
    if comparable(record):
        assert comparable(record) == "refused by the API server"
        return
    for answer in compared(record):
        assert answer.disagrees == ""


def test_new_workloads_are_asked_about():
    new = [one for one in QUICK if {*rolled(one)} - {reference(each) for each in one["old"]}]
    assert len(new) >= 60
    assert not any(comparable(one) for one in new)
    assert {"completes", "none"} <= {answer.verdict.partition(" ")[0] for one in new for answer in compared(one)}


@pytest.mark.parametrize(("outcome", "said"), [("stuck", "says stuck"), ("complete", "says completes")])
def test_another_outcome_would_be_told(outcome, said):
    whole = [
        record
        for record in QUICK
        if record["id"].startswith("matrix") and all(each["outcome"] == outcome for each in record["outcomes"])
    ]
    record = copy.deepcopy(whole[0])
    assert not any(answer.disagrees for answer in compared(record))
    other = "complete" if outcome == "stuck" else "stuck"
    for each in record["outcomes"]:
        each["outcome"] = other
        each["workloads"] = dict.fromkeys(each["workloads"], other)
    assert any(answer.disagrees.startswith(said) for answer in compared(record))
