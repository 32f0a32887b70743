"""The stable contract for programs: an object with version, findings, decided and summary.

Lines and columns are 1-based and count code points; the end is exclusive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kubelint_gpu.findings.decided import Decided
from kubelint_gpu.findings.finding import Finding, Place, Summary
from kubelint_gpu.report.content import Options, Report
from kubelint_gpu.report.dump import array, dump


def render(report: Report, options: Options) -> Iterator[str]:  # noqa: ARG001 every format has one signature
    """Yield the report with two spaces of indentation, one finding at a time."""
    yield f'{{\n  "version": {dump(report.version)},\n  "findings": '
    yield from array(map(finding_object, report.findings), indent=2, margin=2)
    yield ',\n  "decided": '
    yield from array((row for one in report.decided for row in decided_rows(one)), indent=2, margin=2)
    reasons = [{"reason": reason, "count": count} for reason, count in report.summary.reasons]
    yield from of_run(report.failed, reasons, report.summary.remarks, report.summary.helm)
    yield f',\n  "summary": {_summary(report.summary)}\n}}\n'


def of_run(failed: str, undecided: Sequence[Any], remarks: Sequence[str], helm: str) -> Iterator[str]:
    """Yield the keys about a run as a whole, without those that have no value."""
    for name, value in (("failed", failed), ("undecided", undecided), ("remarks", remarks), ("helm", helm)):
        if value:
            yield f',\n  "{name}": {dump(value, indent=2, margin=2)}'


def finding_object(finding: Finding) -> dict[str, Any]:
    """Return the finding with the keys of the contract, in order.

    The sentences of the wait cycle end the trace, as steps of the actor `cycle`.
    """
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "certainty": finding.certainty,
        "moment": finding.moment,
        "message": finding.message,
        **_place(finding.place),
        "object": finding.object,
        "objects": [one for one in (finding.object, *finding.others) if one],
        "scheduler": finding.scheduler,
        "related": [{**_place(related.place), "message": related.message} for related in finding.related],
        "trace": _trace(finding),
        "fixes": [
            {
                "title": fix.title,
                "safety": fix.safety,
                "verified": fix.verified,
                "edits": [{**_place(edit.place), "text": edit.text} for edit in fix.edits],
            }
            for fix in finding.fixes
        ],
        "fingerprint": finding.fingerprint,
        **({"undecided": finding.undecided} if finding.undecided else {}),
    }


def decided_rows(decided: Decided) -> Iterator[dict[str, Any]]:
    """Yield the rows behind the verdict on one rollout, the worst first."""
    for reason in decided.reasons:
        yield {
            "object": decided.object,
            "path": decided.path,
            "line": decided.line,
            "verdict": decided.verdict,
            "hypothesis": reason.hypothesis,
            "clause": reason.clause,
            "answer": reason.answer,
            "argument": reason.argument,
            "steps": reason.steps,
        }


def _place(place: Place) -> dict[str, Any]:
    return {
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _trace(finding: Finding) -> list[dict[str, Any]]:
    steps = [{"step": step.step, "actor": step.actor, "message": step.message} for step in finding.trace]
    after = max((step.step for step in finding.trace), default=0) + 1
    return steps + [
        {"step": number, "actor": "cycle", "message": sentence} for number, sentence in enumerate(finding.cycle, after)
    ]


def _summary(summary: Summary) -> str:
    counts = {
        "files": summary.files,
        "documents": summary.documents,
        "workloads": summary.workloads,
        "nodes": summary.nodes,
        "errors": summary.errors,
        "warnings": summary.warnings,
        "notes": summary.notes,
        "ignored": summary.ignored,
        "baseline": summary.baseline,
        "undecided": summary.undecided,
        **({"hidden": summary.hidden} if summary.hidden else {}),
    }
    body = "".join(f'    "{name}": {count},\n' for name, count in counts.items())
    return f'{{\n{body}    "seconds": {summary.seconds:.3f}\n  }}'
