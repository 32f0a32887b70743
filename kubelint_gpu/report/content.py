"""The input of every output format: the findings of one run, and options."""

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
        """Return the 1-based line without its line end."""


class Options(Value):
    """Options of a report.

    `width` is that of the terminal in cells, `unicode` is false if only ASCII can be shown. `fix_hints` shows how to
    apply fixes; false if the run applied them. `quiet` leaves out the summary. `why` shows the answers behind each
    verdict. `verbose` shows all details of each finding. `category` distinguishes the runs for one commit, one for each
    inventory. `mend` begins the command that applies fixes, if it must be shown whole.
    """

    color: bool = False
    width: int = 80
    unicode: bool = False
    fix_hints: bool = True
    category: str = ""
    quiet: bool = False
    why: bool = False
    verbose: bool = False
    mend: str = ""


class Report(Value):
    """The outcome of one run; `findings` are in the order of `assemble`.

    `failed` says why the run cannot be trusted; empty if it can. `clusters` are given only to formats that draw them.
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
    """Return the report with its findings sorted by path, line, column and code."""
    return Report(tuple(_ordered(findings)), summary, rules, sources, version, failed, tuple(clusters), tuple(decided))


def source_line(report: Report, path: str, number: int) -> str | None:
    """Return a line of a file as it was read, None if it is not available."""
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
    """Yield each fact on its own line: the message, further places, the scheduler's text, help and fixes.

    With `trace` the steps and the wait cycle are included, too.
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
