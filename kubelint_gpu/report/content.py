"""What every output format is given: the findings of one run, and how they are to be shown."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from msgspec import field

from kubelint_gpu.findings.finding import Place, Summary
from kubelint_gpu.report import mark
from kubelint_gpu.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kubelint_gpu.findings.decided import Decided
    from kubelint_gpu.findings.finding import Finding, RuleInfo
    from kubelint_gpu.findings.picture import ClusterPicture

Key = tuple[str, int, int, str, Place, str, str, str]


class Source(Protocol):
    """The text of a file that was read."""

    def line(self, number: int) -> str:
        """The 1-based line without its line end."""


class Options(Value):
    """How a report is shown.

    `width` counts the cells of the terminal, `unicode` is false where only ASCII can be shown.
    `fix_hints` says how fixes are applied; a run that applied them leaves it out.
    `quiet` leaves out what the run came to.
    `why` shows the answers behind each verdict.
    `verbose` shows all that is known of each finding.
    `category` tells apart the runs of one commit, one for each inventory.
    """

    color: bool = False
    width: int = 80
    unicode: bool = False
    fix_hints: bool = True
    category: str = ""
    quiet: bool = False
    why: bool = False
    verbose: bool = False


class Report(Value):
    """The outcome of one run; `findings` stand in the order of `assemble`.

    `failed` says why the run cannot be trusted; it is empty where it can.
    `clusters` are there only where a format draws them.
    """

    findings: tuple[Finding, ...] = ()
    summary: Summary = field(default_factory=Summary)
    rules: Mapping[str, RuleInfo] = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=dict)
    version: str = ""
    failed: str = ""
    clusters: tuple[ClusterPicture, ...] = ()
    decided: tuple[Decided, ...] = ()


def assemble(
    findings: Iterable[Finding],
    summary: Summary,
    rules: Mapping[str, RuleInfo],
    sources: Mapping[str, Source],
    version: str,
    failed: str = "",
    clusters: Iterable[ClusterPicture] = (),
    decided: Iterable[Decided] = (),
) -> Report:
    """The report whose findings are sorted by path, line, column and code, whatever their order was."""
    return Report(tuple(_ordered(findings)), summary, rules, sources, version, failed, tuple(clusters), tuple(decided))


def source_line(report: Report, path: str, number: int) -> str | None:
    """The line as it was read, None where the file or the line is not at hand."""
    source = report.sources.get(path)
    if source is None or number < 1:
        return None
    try:
        return source.line(number)
    except IndexError:
        return None


def _ordered(findings: Iterable[Finding]) -> Iterator[Finding]:
    for _, group in groupby(sorted(findings, key=_key), _key):
        ties = list(group)
        yield from sorted(ties, key=repr) if len(ties) > 1 else ties


def _key(finding: Finding) -> Key:
    at = finding.place
    return at.path, at.line, at.column, finding.code, at, finding.object, finding.message, finding.fingerprint


def story(finding: Finding, *, trace: bool) -> Iterator[str]:
    """Each fact on a line of its own: the message, further places, the scheduler's text, help and fixes.

    With `trace` the steps and the wait cycle are told too.
    """
    yield mark.headline(finding)
    for related in finding.related:
        place = related.place
        yield f"{place.path}:{place.line}:{place.column}: {related.message}"
    if finding.scheduler:
        yield f"scheduler: {finding.scheduler}"
    if trace:
        for step in finding.trace:
            yield f"{step.step}. {step.actor}: {step.message}"
        yield from finding.cycle
    for advice in finding.help:
        yield f"help: {advice}"
    for fix in finding.fixes:
        yield f"fix: {fix.title}"
