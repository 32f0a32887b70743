"""What `check` says about changes that a real control plane was given, as users ask it."""

from __future__ import annotations

import copy
import functools
import json
from pathlib import Path

import pytest

from conformance import apply_answers, linter, recording, rollout_case
from conformance.compare import rolled
from kubelint_gpu.cli.main import invoke

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "tests" / "golden" / "applies").glob("*.jsonl.xz"))
RECORDS = {path: list(recording.read(path)) for path in FILES}
# all of one release, each third of the others: `python -m conformance compare` asks about all
ASKED = [record for path in FILES for record in RECORDS[path][:: 1 if path is FILES[0] else 3]]


@pytest.fixture
def ask(monkeypatch, capsys):
    def run(folder, arguments):
        monkeypatch.chdir(folder)
        capsys.readouterr()
        invoke(["check", *arguments])
        return json.loads(capsys.readouterr().out)

    return functools.partial(linter.findings, run=run)


@pytest.mark.parametrize("record", ASKED, ids=lambda record: f"{record['kubernetes']}-{record['id']}")
def test_what_is_said_of_a_change_agrees_with_every_run_that_was_seen(record, ask):
    counts, wrong = apply_answers.compared([record], ask)
    assert wrong == []
    assert sum(counts.values())


def test_two_releases_are_recorded_and_nearly_every_change_is_asked_about():
    assert len(FILES) >= 2
    cases = {one.id for one in rollout_case.hand_written(ROOT / "conformance" / "cases" / "applies")}
    for records in RECORDS.values():
        assert {one["id"] for one in records} <= cases
        assert len(records) > 0.9 * len(cases)
        assert sum(bool(one.get("pending")) for one in records) < 10


@pytest.mark.parametrize(("outcome", "said"), [("stuck", "certain error"), ("complete", "silent")])
def test_another_outcome_would_be_told(outcome, said, ask):
    record = next(
        one
        for one in RECORDS[FILES[0]]
        if len(rolled(one)) == 1 and set(apply_answers.compared([one], ask)[0]) == {f"{said}: {outcome}"}
    )
    other = copy.deepcopy(record)
    for each in other["outcomes"]:
        each["workloads"] = dict.fromkeys(each["workloads"], "complete" if outcome == "stuck" else "stuck")
    (told,) = apply_answers.compared([other], ask)[1]
    assert told.endswith(f"the linter: {said}")
