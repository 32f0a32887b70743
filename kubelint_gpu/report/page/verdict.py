"""The outcome of a run in one sentence that needs no knowledge of the tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kubelint_gpu.report.mark import object_name
from kubelint_gpu.report.page.markup import counted, sentence
from kubelint_gpu.report.ranking import stuck_first
from kubelint_gpu.values import dataclass

if TYPE_CHECKING:
    from kubelint_gpu.checks.finding import Finding, Summary
    from kubelint_gpu.report.model import Report

Tone = Literal["error", "warning", "note", "good"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The headline, and a sentence that explains it."""

    tone: Tone
    title: str
    lead: str


def verdict(report: Report) -> Verdict:
    """What the reader has to know if nothing else is read."""
    if report.failed:
        return Verdict("error", "The check could not be completed", f"{sentence(report.failed)}.")
    worst = stuck_first(report.findings)
    errors = [finding for finding in worst if finding.severity == "error"]
    stuck = [finding for finding in errors if finding.trace]
    warnings = [finding for finding in worst if finding.severity == "warning"]
    if stuck:
        title = "One rollout would never finish" if len(stuck) == 1 else f"{len(stuck):,} rollouts would never finish"
        return Verdict("error", title, _first(_why(stuck[0], report), len(stuck)))
    if errors:
        title = "One error to fix" if len(errors) == 1 else f"{len(errors):,} errors to fix"
        return Verdict("error", f"{title} before this is applied", _first(_about(errors[0]), len(errors)))
    if warnings:
        risks = "one risk" if len(warnings) == 1 else f"{len(warnings):,} risks"
        verb = "is" if len(warnings) == 1 else "are"
        return Verdict(
            "warning",
            f"Nothing is certain to fail, but there {verb} {risks}",
            _first(_about(warnings[0]), len(warnings)),
        )
    if worst:
        return Verdict("note", "No errors and no warnings", _first(_about(worst[0]), len(worst)))
    return _nothing(report.summary)


def played(report: Report) -> str:
    """What was looked at, and how."""
    summary = report.summary
    looked = f"{counted(summary.workloads, 'workload')} in {counted(summary.files, 'file')}"
    if summary.nodes:
        how = f"played through what Kubernetes would do with {looked} on {counted(summary.nodes, 'node')}"
    else:
        why = "" if report.failed else ", as no inventory was given"
        how = f"looked at {looked} without knowing the cluster{why}"
    told = f"Before anything is applied, kubelint-gpu {how}."
    if summary.undecided:
        told += f" {counted(summary.undecided, 'question')} could not be decided: the search was cut short."
    if summary.ignored:
        told += f" {counted(summary.ignored, 'finding')} hidden by suppressions in the manifests."
    if summary.baseline:
        told += f" {counted(summary.baseline, 'finding')} hidden, as the baseline accepts them."
    return told


def _nothing(summary: Summary) -> Verdict:
    if not summary.files:
        return Verdict("note", "Nothing was checked", "No file was given or found.")
    if not summary.workloads:
        return Verdict("note", "Nothing to judge", "The files hold no workload, and nothing else in them is wrong.")
    if summary.undecided:
        return Verdict("note", "Nothing found, and not everything decided", "Some search ended at its budget.")
    if not summary.nodes:
        return Verdict(
            "note", "Nothing found, as far as can be told", "Declare the cluster to learn whether everything fits."
        )
    if summary.ignored or summary.baseline:
        return Verdict("good", "Nothing new", "All that was found had been accepted before.")
    return Verdict("good", "All clear", "None of the rules that were asked has anything to report.")


def _first(told: str, count: int) -> str:
    return told if count == 1 else f"The first of them: {told}"


def _why(finding: Finding, report: Report) -> str:
    """What kind of deadlock it is; the finding's own message, further down, has the numbers."""
    rule = report.rules.get(finding.code)
    name = object_name(finding)
    return (
        f"{name}: {rule.summary[:1].lower()}{rule.summary[1:]}"
        if rule is not None and rule.summary
        else _about(finding)
    )


def _about(finding: Finding) -> str:
    name = object_name(finding)
    return f"{name}: {finding.message}." if name else f"{sentence(finding.message)}."
