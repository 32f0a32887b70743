"""What `check` says about changes that a real control plane was given.

That is asked of the engine, without fixes: nothing that is compared here rests on them, and trying them takes as long as
all the rest. That the command says the same is looked at for some.
"""

from __future__ import annotations

import copy
import functools
import json
from pathlib import Path

import pytest

from conformance import apply_answers, linter, recording, rollout_case
from conformance.compare import rolled
from kubelint_gpu.cli.main import invoke
from kubelint_gpu.engine.causes import told_once
from kubelint_gpu.engine.run import check
from kubelint_gpu.report.formats.json import finding_object
from kubelint_gpu.workspace.project.comparison import comparison
from kubelint_gpu.workspace.project.gathering import gather
from kubelint_gpu.workspace.project.inputs import inputs_of

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "tests" / "golden" / "applies").glob("*.jsonl.xz"))
RECORDS = {path: list(recording.read(path)) for path in FILES}
# all of one release, each third of the others: `python -m conformance compare` asks about all
ASKED = [record for path in FILES for record in RECORDS[path][:: 1 if path is FILES[0] else 3]]


@pytest.fixture
def ask(monkeypatch):
    def run(folder, _arguments):
        monkeypatch.chdir(folder)
        gathered = gather(["new.json"], ["inventory.json"])
        inputs = inputs_of(gathered, ["inventory.json"], unit="all", against=comparison("path:old.json"))
        outcome = check(inputs.units, inputs.world, fixes=False)
        assert not outcome.failed
        assert not inputs.failed
        return {"findings": list(map(finding_object, told_once(outcome.findings)))}

    return functools.partial(linter.findings, run=run)


@pytest.fixture
def ask_the_command(monkeypatch, capsys):
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


def compared_of(findings):
    return sorted(
        tuple(str(one[key]) for key in ("code", "object", "objects", "severity", "certainty", "moment", "message"))
        for one in findings
    )


@pytest.mark.parametrize("record", RECORDS[FILES[0]][::20], ids=lambda record: record["id"])
def test_the_command_says_what_the_engine_says(record, ask, ask_the_command):
    manifests = record["new"], record["old"], record["inventory"]
    assert compared_of(ask_the_command(*manifests)) == compared_of(ask(*manifests))


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
