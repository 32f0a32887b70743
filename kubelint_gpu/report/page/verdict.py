"""The outcome of a run in one sentence for readers who do not know the tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from kubelint_gpu.findings.finding import Finding, Summary
from kubelint_gpu.report.content import Report
from kubelint_gpu.report.mark import object_name
from kubelint_gpu.report.page.markup import counted, sentence
from kubelint_gpu.report.ranking import stuck_first
from kubelint_gpu.report.tally import undecided
from kubelint_gpu.values import Value

_MOST_NAMES = 3
Tone = Literal["error", "warning", "note", "good"]


class PageVerdict(Value):
    """The headline, and a sentence that explains it."""

    tone: Tone
    title: str
    lead: str


def verdict(report: Report) -> PageVerdict:
    """Return the headline of the page, for readers who read nothing else."""
    if report.failed:
        return PageVerdict("error", "The check could not be completed", f"{sentence(report.failed)}.")
    worst = stuck_first(report.findings)
    errors = [finding for finding in worst if finding.severity == "error"]
    stuck = [finding for finding in errors if finding.trace]
    warnings = [finding for finding in worst if finding.severity == "warning"]
    if stuck:
        return PageVerdict("error", _title(stuck), _explanation(stuck, report))
    if errors:
        title = "One error to fix" if len(errors) == 1 else f"{len(errors):,} errors to fix"
        return PageVerdict("error", f"{title} before this is applied", _first(_about(errors[0]), len(errors)))
    if warnings:
        risks = "one risk" if len(warnings) == 1 else f"{len(warnings):,} risks"
        verb = "is" if len(warnings) == 1 else "are"
        return PageVerdict(
            "warning",
            f"Nothing is certain to fail, but there {verb} {risks}",
            _first(_about(warnings[0]), len(warnings)),
        )
    if worst:
        return PageVerdict("note", "No errors and no warnings", _first(_about(worst[0]), len(worst)))
    return _nothing(report.summary)


def played(report: Report) -> str:
    """Return a sentence about what was checked, and how."""
    summary = report.summary
    looked = f"{counted(summary.workloads, 'workload')} in {counted(summary.files, 'file')}"
    if summary.nodes:
        how = f"played through what Kubernetes would do with {looked} on {counted(summary.nodes, 'node')}"
    else:
        why = "" if report.failed else ", as no inventory was given"
        how = f"looked at {looked} without knowing the cluster{why}"
    told = f"Before anything is applied, kubelint-gpu {how}."
    if summary.undecided:
        told += f" {undecided(summary)}."
    if summary.ignored:
        told += f" {counted(summary.ignored, 'finding')} hidden by suppressions in the manifests."
    if summary.baseline:
        told += f" {counted(summary.baseline, 'finding')} hidden, as the baseline accepts them."
    return told


def _nothing(summary: Summary) -> PageVerdict:
    if not summary.files:
        return PageVerdict("note", "Nothing was checked", "No file was given or found.")
    if not summary.workloads:
        return PageVerdict("note", "Nothing to judge", "The files hold no workload, and nothing else in them is wrong.")
    if summary.undecided:
        return PageVerdict("note", "Nothing found, and not everything decided", f"{undecided(summary)}.")
    if not summary.nodes:
        return PageVerdict(
            "note", "Nothing found, as far as can be told", "Declare the cluster to learn whether everything fits."
        )
    if summary.ignored or summary.baseline:
        return PageVerdict("good", "Nothing new", "All that was found had been accepted before.")
    return PageVerdict("good", "All clear", "None of the rules that were asked has anything to report.")


def _first(told: str, count: int) -> str:
    return told if count == 1 else f"The first of them: {told}"


def _title(stuck: Sequence[Finding]) -> str:
    """Return how many rollouts never end; for one finding about several rollouts, that these block each other."""
    if len(stuck) > 1:
        return f"{len(stuck):,} rollouts would never finish"
    rolled = rolled_together(stuck[0])
    return f"{len(rolled)} rollouts would block each other" if len(rolled) > 1 else "One rollout would never finish"


def rolled_together(finding: Finding) -> tuple[str, ...]:
    """Return the workloads rolled out in the run of a finding, as `namespace/name`."""
    if finding.picture is None:
        return ()
    moments = finding.picture.moments
    holdings = (one for moment in moments for node in moment.nodes for one in node.holdings)
    waiting = (one for moment in moments for one in moment.waiting)
    return tuple(dict.fromkeys(one.owner.partition(" (")[0] for one in (*holdings, *waiting) if one.age == "new"))


def _explanation(stuck: Sequence[Finding], report: Report) -> str:
    """Return the workloads concerned and the kind of deadlock, without the numbers of the findings' own messages."""
    rule = report.rules.get(stuck[0].code)
    if rule is None or not rule.summary or any(one.code != rule.code for one in stuck):
        return _first(_about(stuck[0]), len(stuck))
    names = [object_name(one) for one in stuck]
    if len(stuck) == 1:
        mine = names[0].partition(" ")[2]
        names += [one for one in rolled_together(stuck[0]) if one not in (mine, f"default/{mine}")]
    shown = names[:_MOST_NAMES] if len(names) > _MOST_NAMES + 1 else names
    more = f" and {len(names) - len(shown):,} more" if len(shown) < len(names) else ""
    told = ", ".join(shown) if more else " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
    return f"{told}{more}: {rule.summary[:1].lower()}{rule.summary[1:]}"


def _about(finding: Finding) -> str:
    name = object_name(finding)
    return f"{name}: {finding.message}." if name else f"{sentence(finding.message)}."
