"""The order of formats that cannot show everything: what matters most comes first."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.findings.finding import Finding, Severity

_RANKS: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """Errors, then warnings, then notes; findings of one severity stay in their order."""
    return sorted(findings, key=lambda finding: _RANKS[finding.severity])


def stuck_first(findings: Sequence[Finding]) -> list[Finding]:
    """The worst first, and of each severity the rollouts that get stuck: what a reader came for."""
    return sorted(findings, key=lambda finding: (_RANKS[finding.severity], not finding.trace))


def by_family(findings: Sequence[Finding]) -> list[Finding]:
    """The same, and then the families of rules in their order: what never runs before what could run otherwise."""
    return sorted(findings, key=lambda finding: (_RANKS[finding.severity], not finding.trace, finding.code[:4]))
