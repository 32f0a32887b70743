"""The order of findings in formats that cannot show all: the most important first."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.findings.finding import Finding, Severity

_RANKS: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """Return errors, then warnings, then notes; findings of one severity keep their order."""
    return sorted(findings, key=lambda finding: _RANKS[finding.severity])


def stuck_first(findings: Sequence[Finding]) -> list[Finding]:
    """Return the worst first; within a severity, rollouts that get stuck come first."""
    return sorted(findings, key=lambda finding: (_RANKS[finding.severity], not finding.trace))


def by_family(findings: Sequence[Finding]) -> list[Finding]:
    """Return the worst first as in `stuck_first`, then by family of rules: a pod that never runs comes first."""
    return sorted(findings, key=lambda finding: (_RANKS[finding.severity], not finding.trace, finding.code[:4]))
