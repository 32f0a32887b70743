"""The tables of measurements are those of the results that are kept, and say so where there are none."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.peers import page  # noqa: E402 - it lies beside the package, not in it


@pytest.mark.parametrize("path", page.PAGES, ids=lambda path: path.name)
def test_the_tables_are_those_of_the_results(path: Path) -> None:
    text = path.read_text()
    assert text.count("<!-- measured: ") == text.count("<!-- end -->") > 0
    assert page.filled(text, json.loads(page.RESULTS.read_text())) == text


def test_every_part_of_the_results_was_measured() -> None:
    assert set(page.NEEDED.values()) <= set(json.loads(page.RESULTS.read_text()))


def test_what_was_not_measured_says_so() -> None:
    text = "before\n<!-- measured: tree -->\n<!-- end -->\nafter\n"
    assert page.filled(text, {}) == "before\n<!-- measured: tree -->\nNot measured yet.\n<!-- end -->\nafter\n"
