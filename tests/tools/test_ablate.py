"""The table of deciders is up to date, and answers that say less are told from others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.ablate import Result, changes, deciders, is_weaker
from tools.ablation_cases import sources

ROOT = Path(__file__).resolve().parents[2]


def test_every_decider_but_the_search_can_be_switched_off():
    names = deciders()
    assert "search" not in names
    assert {"room", "counting-nodes", "quiescence", "each-ends", "equal-zones", "single-runs"} <= set(names)


@pytest.mark.parametrize(
    ("before", "after", "weaker"),
    [
        ("stuck, 1 of 1", "undecided, 1 of 1", True),
        ("stuck, 1 of 1", "may-stick, 1 of 1", True),
        ("completes, 1 of 1", "may-stick, 1 of 1", False),
        ("completes, 1 of 1", "stuck, 1 of 1", False),
        ("none, 0 of 1", "stuck, 1 of 1", False),
        ("KLG101 error certain 8", "KLG107 note possible 8", True),
        ("KLG101 error certain 8", "-", False),
        (
            "KLG101 error certain 8 | KLG301 warning certain 9",
            "KLG107 note possible 8 | KLG301 warning certain 9",
            True,
        ),
    ],
)
def test_an_answer_that_says_less(before, after, weaker):
    assert is_weaker(before, after) is weaker


def test_changes_are_counted_by_answer():
    base = Result({"a": {"0": "stuck", "1": "completes"}, "b": {"0": "stuck"}, "c": {"0": "stuck", "1": "stuck"}}, 0, 0)
    found = Result({"a": {"0": "stuck", "1": "stuck"}, "b": {"0": "undecided"}, "c": {"": "too long"}}, 0, 0)
    assert changes(base, base) == (0, 0, [])
    assert changes(base, found) == (
        3,
        1,
        [
            "a: 1: completes -> stuck",
            "b: 0: stuck -> undecided",
            "c: 0: stuck -> too long",
            "c: 1: stuck -> too long",
        ],
    )


def test_every_kind_of_cases_has_some(tmp_path):
    corpus, incidents = tmp_path / "corpus", tmp_path / "incidents"
    for path in (corpus / "repository" / "a.yaml", incidents / "one" / "case.yaml"):
        path.parent.mkdir(parents=True)
        path.write_text("a: 1\n")
    found = {source.name: len(source.cases()) for source in sources([corpus], incidents, 3)}
    assert found.pop("examples") > 100
    assert found == {
        "fleets": 7,
        "random": 3,
        "features": 3,
        "changes": 3,
        "corpus corpus": 3,
        "incidents": 2,
    }


def test_a_run_without_a_decider_is_compared_with_one_that_has_all():
    command = [sys.executable, "-m", "tools.ablate", "--source", "changes", "--cases", "3", "--only", "counting-nodes"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 0, ran.stderr
    rows = [line.split() for line in ran.stdout.splitlines()[3:]]
    assert [(row[0], row[1], row[2]) for row in rows] == [("-", "0", "0"), ("counting-nodes", "0", "0")]
