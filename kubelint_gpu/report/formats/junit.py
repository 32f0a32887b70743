"""JUnit XML, the test report that most CI systems read.

Each file is a suite and each finding a test: errors and warnings fail, notes pass with their text as output.
Undecided questions are errors, because a search that ended early is not a pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from kubelint_gpu.findings.finding import Finding
from kubelint_gpu.messages.display import visible
from kubelint_gpu.report import tally
from kubelint_gpu.report.content import Options, Report, headline, story

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;"})


def render(report: Report, options: Options) -> Iterator[str]:  # noqa: ARG001 every format has one signature
    """Yield one suite for each file with findings; a run without findings has one test that passes."""
    findings, undecided = report.findings, report.summary.undecided
    clean = not findings and not undecided and not report.failed
    errors = bool(undecided) + bool(report.failed)
    failures = sum(map(_fails, findings))
    counts = _counts(len(findings) + errors + clean, failures, errors)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="kubelint-gpu" {counts} time="{report.summary.seconds:.3f}">\n'
    for path, group in groupby(findings, lambda finding: finding.place.path):
        yield from _suite(path, list(group))
    if undecided:
        yield from _error("undecided", tally.undecided(report.summary))
    if report.failed:
        yield from _error("failed", f"the run failed: {report.failed}")
    if clean:
        yield f'  <testsuite name="kubelint-gpu" {_counts(1, 0, 0)}>\n'
        yield '    <testcase classname="kubelint-gpu" name="no findings"/>\n'
        yield "  </testsuite>\n"
    yield "</testsuites>\n"


def _suite(path: str, findings: list[Finding]) -> Iterator[str]:
    name = _quoted(path)
    yield f'  <testsuite name="{name}" {_counts(len(findings), sum(map(_fails, findings)), 0)}>\n'
    for finding in findings:
        place = finding.place
        title = _quoted(f"{finding.code} {finding.name} at {place.line}:{place.column}")
        yield f'    <testcase classname="{name}" name="{title}" file="{name}" line="{place.line}">\n'
        told = _quoted("\n".join([f"{path}:{place.line}:{place.column}", *story(finding, trace=True)]))
        if _fails(finding):
            message = f'message="{_quoted(headline(finding))}" type="{_quoted(finding.severity)}"'
            yield f"      <failure {message}>{told}</failure>\n"
        else:
            yield f"      <system-out>{told}</system-out>\n"
        yield "    </testcase>\n"
    yield "  </testsuite>\n"


def _error(name: str, message: str) -> Iterator[str]:
    yield f'  <testsuite name="{name}" {_counts(1, 0, 1)}>\n'
    yield f'    <testcase classname="kubelint-gpu" name="{name}">\n'
    yield f'      <error message="{_quoted(message)}" type="{name}"/>\n'
    yield "    </testcase>\n  </testsuite>\n"


def _fails(finding: Finding) -> bool:
    return finding.severity != "note"


def _counts(tests: int, failures: int, errors: int) -> str:
    return f'tests="{tests}" failures="{failures}" errors="{errors}"'


def _quoted(text: str) -> str:
    return visible(text, keep="\n\t").translate(_ENTITIES)
