"""Annotations that suppress findings, as they are read."""

from __future__ import annotations

import pytest
from suppressed import run

# every Deployment like this has a KLG114, at `spec` with a related place at the GPU


def codes(outcome):
    return sorted(finding.code for finding in outcome.findings)


def test_an_annotation_may_name_several_codes():
    outcome = run(above='\n  annotations: {kubelint-gpu/ignore: "KLG114: room; KLG301: later"}')
    assert codes(outcome) == ["KLG005"]


@pytest.mark.parametrize(
    "text",
    [
        "|\n      KLG114: room enough\n      KLG301: later\n",
        "|\n      - KLG114: room enough,\n        and more to come\n      - KLG301: later\n",
        ">-\n      - KLG114: room enough\n      - KLG301: later\n",
        "|\n      KLG114: room enough\n      and more to come\n\n      KLG301, KLG101: later\n",
        "'KLG114: room; KLG301: later'",
    ],
)
def test_an_annotation_is_a_list_over_several_lines(text):
    outcome = run(above=f"\n  annotations:\n    kubelint-gpu/ignore: {text}")
    assert outcome.ignored == 1
    assert {found.message for found in outcome.findings} <= {
        "KLG301 is suppressed here and was not found",
        "KLG101 is suppressed here and was not found",
    }
    assert "KLG301" in outcome.findings[0].message


def test_an_annotation_without_a_reason_is_noted_once():
    outcome = run(above='\n  annotations: {kubelint-gpu/ignore: "KLG114; KLG1"}')
    assert [found.message for found in outcome.findings] == ["KLG114 and KLG1 are suppressed here without a reason"]


def test_an_annotation_that_is_no_text_is_said():
    outcome = run(above="\n  annotations: {kubelint-gpu/ignore: [KLG114]}")
    assert "KLG005" in codes(outcome)
