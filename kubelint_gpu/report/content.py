"""The input of every output format: the findings of one run, and options."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Protocol

from msgspec import field

from kubelint_gpu.findings.finding import Finding, Place, Severity, Summary, with_short_words
from kubelint_gpu.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kubelint_gpu.findings.decided import Decided
    from kubelint_gpu.findings.finding import RuleInfo
    from kubelint_gpu.findings.picture import ClusterPicture

Key = tuple[str, int, int, str, Place, str, str, str]

_RANKS: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}

_JOINTS = ("and", "or")
NEAR = 40
"""Lines between two places that a reader still sees as one picture: about one screen."""
_MOST_SAID = 10


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
    yield headline(finding)
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


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """Return errors, then warnings, then notes; findings of one severity keep their order."""
    return sorted(findings, key=lambda finding: _RANKS[finding.severity])


def stuck_first(findings: Sequence[Finding]) -> list[Finding]:
    """Return the worst first; within a severity, rollouts that get stuck come first."""
    return sorted(findings, key=lambda finding: (_RANKS[finding.severity], not finding.trace))


def by_family(findings: Sequence[Finding]) -> list[Finding]:
    """Return the worst first as in `stuck_first`, then by family of rules: a pod that never runs comes first."""
    return sorted(findings, key=lambda finding: (_RANKS[finding.severity], not finding.trace, finding.code[:4]))


class Mark(Value):
    """A place, its label, and whether it is the place of the finding itself."""

    place: Place
    label: str
    primary: bool = False

    @property
    def last_line(self) -> int:
        """Return the last line that shows a part of the place; an end before the first column excludes its line."""
        place = self.place
        ends_before = place.end_column <= 1 and place.end_line > place.line
        return max(place.line, place.end_line - (1 if ends_before else 0))


def groups(finding: Finding) -> list[list[Mark]]:
    """Return the marks of each snippet by line; the primary place's snippet first, then the related ones in order.

    The label of the primary place is its message; without one, the object is named.
    """
    said: dict[Place, list[str]] = {finding.place: []}
    for related in finding.related:
        said.setdefault(related.place, []).append(related.message)
    turn = {place: index for index, place in enumerate(said)}
    found: list[list[Mark]] = []
    for place in sorted(said):
        primary = place == finding.place
        more = f"and {len(said[place]) - _MOST_SAID} more"
        shown = said[place] if len(said[place]) <= _MOST_SAID + 1 else [*said[place][:_MOST_SAID], more]
        label = "; ".join(shown) or (object_name(finding) if primary else "")
        mark = Mark(place, label, primary)
        if found and _near(found[-1], mark):
            found[-1].append(mark)
        else:
            found.append([mark])
    return sorted(found, key=lambda group: min(turn[mark.place] for mark in group))


def object_name(finding: Finding) -> str:
    """Return the object as users write it: `Deployment vision/object-tracker`."""
    kind, _, name = finding.object.partition("/")
    return f"{kind} {name.lstrip('/')}".rstrip()


def headline(finding: Finding) -> str:
    """Return the message, prefixed by the name of the object if the message does not contain it."""
    name = object_name(finding)
    if not name or _names(_subject(finding.message), finding):
        return finding.message
    return with_short_words(f"{name}: {finding.message}")


def object_names(finding: Finding, most: int) -> str:
    """Return the names of the first `most` objects, and how many more there are; with their kind if it differs."""
    from kubelint_gpu.messages.wording import listed, owner_name

    keys = sorted((finding.object, *finding.others))
    kinds = {f"{key.partition('/')[0]}s " for key in keys}
    names = [owner_name(key) if len(kinds) > 1 else key.partition("/")[2] for key in keys]
    more = [f"{len(names) - most} more"] * (most < len(names))
    return f"{'' if len(kinds) > 1 else ''.join(kinds)}{listed([*names[:most], *more])}"


def _subject(message: str) -> str:
    """Return the subject of a message, before the colon; holders and evicted pods come after it."""
    return message.partition(": ")[0]


def _names(message: str, finding: Finding) -> bool:
    """Whether a message names the object of a finding after its kind, which a list of objects may share."""
    kind, _, whole = object_name(finding).partition(" ")
    names, kinds, row = {whole, whole.rpartition("/")[2]}, {kind, f"{kind}s", f"{kind}es"}, False
    for word, following in pairwise((*message.split(), "")):
        bare = word.strip("(),:;'")
        if bare == finding.object or (row and bare in names):
            return True
        row = bare in kinds or (row and (word.endswith(",") or not {bare, following}.isdisjoint(_JOINTS)))
    return False


def _near(group: list[Mark], mark: Mark) -> bool:
    last = group[-1]
    return last.place.path == mark.place.path and mark.place.line <= last.last_line + NEAR
