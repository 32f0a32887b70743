"""Findings as they are reported: nothing is said twice, and each can be told from all others."""

from __future__ import annotations

from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.reported import finding_of
from kubelint_gpu.engine.run import distinct
from kubelint_gpu.findings.finding import Place


def found(line, message="a finding"):
    return finding_of(Diagnostic("KLG101", Place("a.yaml", line, 1, line, 2), message))


def test_what_is_only_possible_is_a_step_less_severe_than_its_rule():
    possible = finding_of(Diagnostic("KLG101", Place("a.yaml", 1, 1, 1, 2), "a finding", certainty="possible"))
    assert (found(1).severity, possible.severity) == ("error", "warning")


def test_the_same_finding_is_reported_once():
    assert distinct([found(1), found(1)]) == (found(1),)


def test_findings_of_one_fingerprint_are_told_apart():
    first, second = distinct([found(1), found(2)])
    assert found(1).fingerprint == found(2).fingerprint == first.fingerprint
    assert second.fingerprint != first.fingerprint
    assert distinct([found(1), found(2)]) == (first, second)
