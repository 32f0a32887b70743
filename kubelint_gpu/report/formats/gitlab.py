"""The Code Quality report that GitLab shows in a merge request."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import chain
from typing import Any

from kubelint_gpu.findings.finding import Finding, Severity
from kubelint_gpu.report.content import Options, Report, headline
from kubelint_gpu.report.dump import array
from kubelint_gpu.report.tally import undecided

_SEVERITY: dict[Severity, str] = {"error": "critical", "warning": "major", "note": "info"}


def render(report: Report, options: Options) -> Iterator[str]:  # noqa: ARG001 every format has one signature
    """Yield a JSON array with one issue for each finding; empty if there is none.

    A failed run is an issue, too, and so are undecided questions: otherwise the widget would look as if nothing was
    found.
    """
    yield from array(chain(_failed(report), _undecided(report), map(_issue, report.findings)), indent=2)
    yield "\n"


def _failed(report: Report) -> Iterator[dict[str, Any]]:
    if report.failed:
        yield _of_run(f"the run failed: {report.failed}", "run-failed", "blocker")


def _undecided(report: Report) -> Iterator[dict[str, Any]]:
    if report.summary.undecided:
        yield _of_run(undecided(report.summary), "undecided", "minor")


def _of_run(told: str, name: str, severity: str) -> dict[str, Any]:
    """Return an issue that belongs to no line of a file."""
    return {
        "description": told,
        "check_name": name,
        "fingerprint": hashlib.sha256(told.encode()).hexdigest()[:32],
        "severity": severity,
        "location": {"path": ".", "lines": {"begin": 1, "end": 1}},
    }


def _issue(finding: Finding) -> dict[str, Any]:
    """Return the keys that GitLab reads; of several issues with one fingerprint GitLab shows the first."""
    place = finding.place
    return {
        "description": f"{finding.code}: {headline(finding)}",
        "check_name": finding.name,
        "fingerprint": finding.fingerprint,
        "severity": _SEVERITY[finding.severity],
        "location": {"path": place.path, "lines": {"begin": place.line, "end": place.end_line}},
    }
