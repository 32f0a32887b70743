"""Workflow commands that GitHub Actions turns into annotations of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.findings.finding import Finding, Severity
from kubelint_gpu.messages.display import visible
from kubelint_gpu.report.content import Options, Report, story
from kubelint_gpu.report.tally import undecided

PER_KIND = 10
"""Annotations of one kind that GitHub shows for a step; three kinds of ten stay below its fifty for a job."""

_KINDS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report, options: Options) -> Iterator[str]:  # noqa: ARG001 every format has one signature
    """Yield that the run failed or left questions undecided, then the worst findings.

    The last notices have the remarks about the run as a whole, and how many findings exceed GitHub's limit.
    """
    by_kind = {
        severity: [finding for finding in report.findings if finding.severity == severity] for severity in _KINDS
    }
    taken = {"error": int(bool(report.failed)), "warning": int(bool(report.summary.undecided))}
    taken["note"] = int(bool(report.summary.remarks))
    taken["note"] += any(len(found) > PER_KIND - taken[severity] for severity, found in by_kind.items())
    shown = 0
    if report.failed:
        yield f"::error title=kubelint-gpu::{_data(f'the run failed: {report.failed}')}\n"
    if report.summary.undecided:
        yield f"::warning title=kubelint-gpu::{_data(undecided(report.summary))}\n"
    for severity, found in by_kind.items():
        for finding in found[: PER_KIND - taken[severity]]:
            shown += 1
            yield _command(finding)
    if report.summary.remarks:
        yield f"::notice title=kubelint-gpu::{'%0A'.join(map(_data, report.summary.remarks))}\n"
    rest = len(report.findings) - shown
    if rest:
        yield f"::notice title=kubelint-gpu::{rest} more of {len(report.findings)} findings are not shown here\n"


def _command(finding: Finding) -> str:
    place = finding.place
    properties = {"file": place.path, "line": str(place.line), "endLine": str(place.end_line)}
    if place.line == place.end_line:
        properties |= {"col": str(place.column), "endColumn": str(place.end_column)}
    properties["title"] = f"{finding.code} {finding.name}"
    listed = ",".join(
        f"{name}={_data(value).replace(':', '%3A').replace(',', '%2C')}" for name, value in properties.items()
    )
    body = "%0A".join(_data(line) for line in story(finding, trace=False))
    return f"::{_KINDS[finding.severity]} {listed}::{body}\n"


def _data(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))
