"""Which rules are asked for."""

from __future__ import annotations

import pytest
from command_line import kubelint

BOTH = ("check", "examples/tracker/tracker.yaml", "-i", "examples/tracker/nodes.yaml")


@pytest.mark.parametrize(
    ("options", "codes", "code"),
    [
        ((), ["KLG101", "KLG301"], 1),
        (("--select", "KLG101"), ["KLG101"], 1),
        (("--select", "rollout-deadlock"), ["KLG101"], 1),
        (("--select", "klg3"), ["KLG301"], 0),
        (("--ignore", "KLG1,KLG301"), [], 0),
        (("--min-severity", "error"), ["KLG101"], 1),
        (("--exit-zero",), ["KLG101", "KLG301"], 0),
    ],
)
def test_selection_decides_what_is_reported_and_what_fails(options, codes, code):
    ran = kubelint(*BOTH, *options, "--output-format", "json")
    assert (ran.codes, ran.code) == (codes, code)


def test_an_unknown_code_is_a_usage_error_with_a_suggestion():
    ran = kubelint(*BOTH, "--select", "rollout-dedlock")
    assert ran.code == 2
    assert "did you mean rollout-deadlock?" in ran.err
