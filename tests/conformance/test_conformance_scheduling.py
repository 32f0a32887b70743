"""What the scheduler of a running cluster said about recorded scenarios is what the linter's own core says."""

from __future__ import annotations

from pathlib import Path

import pytest
import replay

from conformance import recording, scheduling

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
FILES = sorted((GOLDEN / "scheduling").glob("*.jsonl.xz"))
SCENARIOS = {
    (line["kubernetes"], line["id"]): line
    for path in sorted((GOLDEN / "scheduler").rglob("*.jsonl.xz"))
    for line in replay.lines(path)
}
LIVE = [record for path in FILES for record in recording.read(path)]


def test_two_releases_were_asked_live():
    assert len(FILES) >= 2
    assert len(LIVE) >= 500
    assert all(record["agrees"] for record in LIVE)


@pytest.mark.parametrize("record", LIVE, ids=lambda record: f"{record['kubernetes']}-{record['id']}")
def test_the_core_gives_the_live_answer(record):
    found, preemption = replay.answer(SCENARIOS[record["kubernetes"], record["id"]])
    assert differing(record, found, preemption) == []


def differing(record, found, preemption):
    if "node" in record:
        return [] if record["node"] in found["fits"] else ["node"]
    wrong = [] if record.get("message") == found.get("message") else ["message"]
    choices = [(found.get("nominated"), found.get("victims", []))]
    if preemption is not None and preemption.succeeds:
        choices += [(one.node, sorted(pod.meta.name for pod in one.victims)) for one in preemption.alternatives]
    if (record.get("nominated"), record.get("victims", [])) not in choices:
        wrong.append("preemption")
    return wrong


def test_another_answer_would_be_told():
    record = next(record for record in LIVE if record.get("victims"))
    found, preemption = replay.answer(SCENARIOS[record["kubernetes"], record["id"]])
    assert differing({**record, "message": "no"}, found, preemption) == ["message"]
    assert differing({**record, "victims": ["nobody"]}, found, preemption) == ["preemption"]
    assert differing({"node": "nowhere"}, found, preemption) == ["node"]


def test_recorded_scenarios_with_claims_are_left_to_the_suite_of_devices():
    found = {name for name, _ in scheduling.scenarios(GOLDEN / "scheduler", "1.36.3", 3)}
    assert "placement" in found
    assert found.isdisjoint({"dra", "features"})
