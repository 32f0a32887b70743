"""The recordings are those of the cases as they stand, and the page is that of the recordings."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_sections import PAGE

from conformance import admission, page, recording, updates, validation

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
CASES = ROOT / "conformance" / "cases"


def recorded(*suites):
    return [
        pytest.param(path, id=f"{suite}-{page.version_of(path)}")
        for suite in suites
        for path in page.recordings(GOLDEN, suite)
    ]


# what the linter says of every rollout takes minutes: of them only the counts are looked at here
# the sections of validation and updates are looked at where their numbers are, `test_conformance_validation.py` and
# `test_conformance_updates.py`
@pytest.mark.parametrize("path", recorded("scheduling", "devices", "admission", "fixes", "tracker"))
def test_the_page_says_what_the_recordings_say(path):
    section = page.SECTIONS[path.parent.name](page.version_of(path), list(recording.read(path)))
    assert section in PAGE, "python -m conformance page"


@pytest.mark.parametrize("path", recorded("rollouts", "applies"))
def test_the_page_counts_the_recorded_rollouts(path):
    seen = page.runs_seen(path.parent.name, page.version_of(path), list(recording.read(path)))
    assert seen in PAGE, "python -m conformance page"


def test_every_release_is_on_the_page_and_no_other():
    said = {line.rpartition(" ")[2] for line in PAGE.splitlines() if line.startswith("## Rollouts, Kubernetes ")}
    assert said == {page.version_of(path) for path in page.recordings(GOLDEN, "rollouts")}


@pytest.mark.parametrize("path", recorded("validation"))
def test_every_hand_written_object_is_recorded_as_it_stands(path):
    known = {record["id"]: record["object"] for record in recording.read(path)}
    trials = {trial.id: trial.object for trial in validation.hand_written(CASES / "validation")}
    assert {name: known.get(name) for name in trials} == trials
    assert [name for name in known if name not in trials and not name.startswith("random-")] == []


@pytest.mark.parametrize("path", recorded("updates"))
def test_every_change_is_recorded(path):
    names = {record["id"].rpartition("-")[0] for record in recording.read(path)}
    assert names == {each.name for each in updates.hand_written(CASES / "updates")}


@pytest.mark.parametrize("path", recorded("admission"))
def test_every_pod_for_admission_is_recorded(path):
    names = {record["id"] for record in recording.read(path)}
    assert names == {case["id"] for case in admission.hand_written(CASES / "admission")}
