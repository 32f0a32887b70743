"""What is reported of a run: its findings and figures, with the texts, rules and clusters that they are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.documents import SourceText
from kubelint_gpu.findings.finding import Finding, RuleInfo, Summary
from kubelint_gpu.report.content import Report, assemble
from kubelint_gpu.report.format_names import DRAWING
from kubelint_gpu.values import replace
from kubelint_gpu.version import __version__
from kubelint_gpu.workspace.project.remarks import counted_in

if TYPE_CHECKING:
    from kubelint_gpu.engine.baseline import Settled
    from kubelint_gpu.engine.run import Outcome
    from kubelint_gpu.findings.picture import ClusterPicture
    from kubelint_gpu.workspace.project.inputs import Inputs


def report_of(
    inputs: Inputs,
    outcome: Outcome,
    settled: Settled,
    seconds: float,
    formats: Sequence[str],
    settings: SourceText | None,
) -> Report:
    """The report of a run that took so many seconds, for some formats; `settings` are the text of the configuration."""
    findings = settled.findings
    kinds = [finding.severity for finding in findings]
    reasons: Counter[str] = Counter()
    for finding in outcome.findings:
        if finding.undecided:
            reasons[finding.undecided] += 1 + len(finding.others)
    readings, units = counted_in(inputs.units)
    summary = Summary(
        files=len(readings),
        documents=sum(reading.count for reading in readings),
        workloads=outcome.workloads,
        nodes=sum(world.node_count for world in inputs.worlds),
        errors=kinds.count("error"),
        warnings=kinds.count("warning"),
        notes=kinds.count("note"),
        ignored=outcome.ignored,
        baseline=settled.accepted,
        undecided=sum(reasons.values()),
        reasons=tuple(reasons.most_common()),
        hidden=settled.hidden,
        seconds=seconds,
        unknown=outcome.unknown,
        units=units,
        remarks=(*inputs.remarks, *outcome.remarks),
    )
    sources = {reading.source.path: reading.source for reading in inputs.every if reading.source is not None}
    if settings is not None:
        sources[settings.path] = settings
    failed = "something that was to be checked could not be read or rendered" if inputs.failed else ""
    if outcome.failed:
        failed = "a rule failed, or the inventory could not be used"
        if any(world.usable and not world.whole for world in inputs.worlds):
            failed = "objects of the inventory cannot be read, and what they may decide is possible instead of certain"
    if any(not world.usable and world.errors for world in inputs.worlds):
        failed = "the inventory cannot be used, and no rule that needs the cluster was asked"
    clusters = _clusters(inputs) if draws(formats) else ()
    return assemble(
        findings, summary, _rules(findings, formats), sources, __version__, failed, clusters, outcome.decided
    )


def _clusters(inputs: Inputs) -> tuple[ClusterPicture, ...]:
    from kubelint_gpu.capacity.supply import pool_pictures
    from kubelint_gpu.views.cluster_view import cluster_picture

    found = ((cluster_picture(world), [one for one in inputs.units if one.world is world]) for world in inputs.worlds)
    return tuple(
        replace(picture, pools=pool_pictures(world, units))
        for world, (picture, units) in zip(inputs.worlds, found, strict=True)
        if picture is not None
    )


def _rules(findings: Sequence[Finding], formats: Sequence[str]) -> dict[str, RuleInfo]:
    """The rules that were found, for SARIF with their pages."""
    from kubelint_gpu.findings.catalogue import folders, page, rule

    codes = sorted({finding.code for finding in findings}.intersection(folders()))
    return {code: replace(rule(code), page=page(code)) if "sarif" in formats else rule(code) for code in codes}


def draws(formats: Iterable[str]) -> bool:
    """Whether any of some formats shows pictures."""
    return not DRAWING.isdisjoint(formats)
