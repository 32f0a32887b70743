"""What a running cluster did with pods that have claims is what the linter's own core says."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import recording
from conformance.device_answers import disagreement
from conformance.device_scenarios import scenarios

FILES = sorted((Path(__file__).resolve().parents[1] / "golden" / "devices").glob("*.jsonl.xz"))
RECORDS = [record for path in FILES for record in recording.read(path)]


def test_two_releases_were_asked_about_claims():
    assert len(FILES) >= 2
    assert len(RECORDS) >= 2 * 150
    assert sum("node" in record for record in RECORDS) > 100


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: f"{record['kubernetes']}-{record['id']}")
def test_the_core_gives_the_recorded_answer(record):
    assert disagreement(record) == ""


def test_another_answer_would_be_told():
    waiting = next(record for record in RECORDS if "message" in record)
    placed = next(record for record in RECORDS if record.get("devices"))
    assert disagreement({**waiting, "message": "no"})
    assert disagreement({**placed, "node": "nowhere"})
    assert disagreement({**placed, "devices": ["gpu.example.com/n9/gpu-9"]})


def test_a_seed_makes_the_same_scenarios():
    assert list(scenarios(3, 5)) == list(scenarios(3, 5)) != list(scenarios(4, 5))
