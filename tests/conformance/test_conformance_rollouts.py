"""What the real control plane did with recorded rollouts never contradicts the verdict: a sample, spread over all."""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
RECORDINGS = ROOT / "tests" / "golden" / "rollouts"
EVERY = 8


def records():
    found = []
    for path in sorted(RECORDINGS.glob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            found += [line for number, line in enumerate(lines) if number % EVERY == 0]
    return found


@pytest.fixture(scope="module")
def compared():
    sys.path.insert(0, str(ROOT))
    try:
        from conformance.compare import comparable, compared
    finally:
        sys.path.remove(str(ROOT))

    def answers(record):
        return [] if comparable(record) else list(compared(record))

    return answers


def test_there_are_recordings_to_replay():
    assert len(records()) >= 50


@pytest.mark.parametrize("line", records(), ids=lambda line: json.loads(line)["id"])
def test_the_verdict_agrees_with_every_run_that_was_seen(line, compared):
    for answer in compared(json.loads(line)):
        assert answer.disagrees == ""
