"""The linter foretells what the real API server made of recorded pods at admission, or with which words it refused."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from conformance import admission_answers, recording

FILES = sorted((Path(__file__).resolve().parents[1] / "golden" / "admission").glob("*.jsonl.xz"))
RECORDS = [record for path in FILES for record in recording.read(path)]


def test_both_releases_and_every_plugin_are_recorded():
    assert len(RECORDS) >= 140
    assert len(FILES) >= 2
    assert {record["id"].partition("-")[0] for record in RECORDS} == {
        "defaults", "label", "limits", "priority", "quota", "runtime", "tolerations",
    }  # fmt: skip


def test_any_of_several_quotas_may_be_the_one_that_is_named():
    texts = {record["error"] for record in RECORDS if record["id"] == "quota-two"}
    assert texts <= set(admission_answers.foretold(*admission_answers.question(recorded("quota-two")))[0])
    assert len(admission_answers.foretold(*admission_answers.question(recorded("quota-two")))[0]) == 2


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: f"{record['kubernetes']}-{record['id']}")
def test_the_linter_foretells_what_admission_does(record):
    assert list(admission_answers.differences(record)) == []


def recorded(name):
    return copy.deepcopy(next(record for record in RECORDS if record["id"] == name))


@pytest.mark.parametrize(
    ("name", "field", "value", "told"),
    [
        ("priority-named", "priority", 7, "priority: the linter says 1000, the API server 7"),
        ("priority-named-never", "preemptionPolicy", "PreemptLowerPriority", "preemptionPolicy"),
        ("tolerations-gpu", "tolerations", [], "tolerations"),
        ("label-keys-mismatch", "affinity", {}, "podAntiAffinity"),
        ("label-keys-spread", "topologySpreadConstraints", [], "spreading"),
        ("limits-default", "containers", [{"name": "main", "resources": {"limits": {"cpu": "7"}}}], "containers"),
    ],
)
def test_another_answer_would_be_told(name, field, value, told):
    record = recorded(name)
    record["admitted"][field] = value
    assert [each for each in admission_answers.differences(record) if each.startswith(told)]


def test_another_text_or_no_refusal_would_be_told():
    record = recorded("quota-gpu-full")
    record["error"] += "!"
    assert "the linter says pods" in next(admission_answers.differences(record))
    del record["error"]
    counts, wrong = admission_answers.compared([{**record, "admitted": {}}])
    assert counts == {"quota: otherwise": 1}
    assert len(wrong) == 1
