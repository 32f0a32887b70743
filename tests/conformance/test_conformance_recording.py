"""A run of some cases leaves what is recorded of the others alone."""

from __future__ import annotations

import pytest

from conformance import recording


def ids(path):
    return [record["id"] for record in recording.read(path)]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "1.34.1.jsonl.xz"
    recording.write(path, [{"id": name, "seen": 1} for name in ("quota", "surge", "random-1-0001", "random-2-0001")])
    return path


def test_a_selection_changes_only_what_it_ran(path):
    assert recording.write(path, [{"id": "surge", "seen": 2}]) == 4
    assert [record["seen"] for record in recording.read(path) if record["id"] == "surge"] == [2]
    assert recording.write(path, []) == 4


def test_a_whole_run_drops_cases_that_are_gone_but_no_other_seeds(path):
    recording.write(path, [{"id": "surge"}, {"id": "random-1-0002"}], whole=True)
    assert ids(path) == ["random-1-0002", "random-2-0001", "surge"]
