"""The fixes that made stuck rollouts complete in a running cluster are offered still, with the text of its event."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from conformance import linter, recording

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
TRIED = [record for path in sorted((GOLDEN / "fixes").glob("*.jsonl.xz")) for record in recording.read(path)]
EVERY = 6


def cases():
    """The fixes that were tried, by release and rollout."""
    found = defaultdict(dict)
    for record in TRIED:
        name, _, fix = record["id"].partition(" ")
        found[record["kubernetes"], name][fix] = record
    return dict(sorted(found.items()))


ROLLOUTS = {
    (version, record["id"]): record
    for version in sorted({record["kubernetes"] for record in TRIED})
    for record in recording.read(GOLDEN / "rollouts" / f"{version}.jsonl.xz")
}


def test_every_fix_that_was_tried_helped_and_every_text_was_that_of_the_cluster():
    assert len(TRIED) >= 100
    assert all(record["completes"] for record in TRIED)
    assert all(record["foretold"] in record["seen"] for record in TRIED if record["foretold"])
    assert sum(1 for record in TRIED if record["foretold"]) >= 100


# each asks the linter as a process: a sixth of them takes a few seconds
@pytest.mark.parametrize(
    ("case", "tried"), list(cases().items())[::EVERY], ids=lambda value: value[1] if isinstance(value, tuple) else ""
)
def test_a_fix_that_helped_is_offered(case, tried):
    offers = {f"{offer.code} {offer.workload} {offer.title}": offer for offer in linter.offered(ROLLOUTS[case])}
    assert set(offers) & set(tried)
    for name, offer in offers.items():
        if name in tried:
            assert offer.scheduler == tried[name]["foretold"]
    seen = {text for record in tried.values() for text in record["seen"]}
    assert all(offer.scheduler in seen for offer in offers.values() if offer.scheduler)
