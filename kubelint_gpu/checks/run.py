"""Running the rules over units: drafts become findings, and fixes are tried before they are offered."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.checks.catalogue import INTERNAL, rule
from kubelint_gpu.checks.draft import Draft, Proposal
from kubelint_gpu.checks.finding import Finding, Fix, Place, Severity, TextEdit
from kubelint_gpu.checks.ignores import ignores, suppressed, unused_cause
from kubelint_gpu.checks.overlays import Found, layers, merged, seen_through
from kubelint_gpu.checks.processes import each, untold
from kubelint_gpu.checks.registry import Check, checks, closing_checks, world_checks
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.checks.world import World
from kubelint_gpu.documents import encode, read
from kubelint_gpu.documents.edits import Edit, NotEditable, apply
from kubelint_gpu.values import dataclass, replace

if TYPE_CHECKING:
    from kubelint_gpu.checks.picture import Stage

# Of more units than this nothing is kept that could be worked out again.
_MANY = 1000
_LOWER: dict[Severity, Severity] = {"error": "warning", "warning": "note", "note": "note"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run.

    Attributes:
        findings: everything that was found, unordered.
        failed: the run cannot be trusted: a rule crashed or the inventory is unusable.
        undecided: rollouts of which the search did not see the end.
        ignored: findings that were suppressed.
        workloads: pod templates that were looked at.
    """

    findings: tuple[Finding, ...]
    failed: bool = False
    undecided: int = 0
    ignored: int = 0
    workloads: int = 0


@dataclass(frozen=True, slots=True)
class Suppression:
    """How suppressions in the manifests are treated.

    Attributes:
        today: the day on which the run takes place, such as 2027-01-31; empty where none has an end.
        off: codes and prefixes of rules that are not reported anyway: a suppression of one is not called unused.
        on: whether suppressions have any effect.
    """

    today: str = ""
    off: tuple[str, ...] = ()
    on: bool = True


@dataclass(frozen=True, slots=True)
class Judged:
    """What the rules say of one unit.

    Attributes:
        crashed: a finding for each rule that failed.
        effective: places of suppressions in sources of renders that had an effect, each with its cause.
    """

    found: tuple[Found, ...]
    crashed: tuple[Finding, ...]
    effective: frozenset[tuple[Place, str]]
    undecided: int
    ignored: int
    workloads: int


def check(
    units: Sequence[Unit],
    world: World,
    *,
    fixes: bool = True,
    suppression: Suppression | None = None,
    processes: int = 1,
    tell: Callable[[int], None] = untold,
    stages: bool = False,
) -> Outcome:
    """Run every rule on every unit; many units may be shared out among processes, with the same outcome.

    The rules for inventories are run on `world` and on the worlds of the units.
    `tell` is told now and then how many units are done.
    With `stages` findings show the simulated runs that they tell of.
    """
    findings: list[Finding] = []
    failed = False
    rules = suppression or Suppression()
    for one in dict.fromkeys((world, *(unit.world for unit in units))):
        for draft in (found for world_check in world_checks().values() for found in world_check(one)):
            findings.append(_finding(draft))
            failed = failed or draft.fatal
    many = len(units) > _MANY

    def work(unit: Unit) -> Judged:
        judged = _judged(unit, rules, fixes=fixes, stages=stages)
        if many:
            unit.forget()
        return judged

    judged = each(work, units, processes, tell)
    # a suppression in a base has done its work if it did so in one of the overlays
    effective = frozenset[tuple[Place, str]]().union(*(one.effective for one in judged))
    findings += [finding for one in judged for finding in one.crashed]
    entries = [found for one in judged for found in one.found]
    findings += [
        one.finding for one in merged(one for one in entries if (one.finding.place, one.cause) not in effective)
    ]
    return Outcome(
        _distinct(findings),
        failed or any(one.crashed for one in judged),
        sum(one.undecided for one in judged),
        sum(one.ignored for one in judged),
        sum(one.workloads for one in judged),
    )


def _judged(unit: Unit, rules: Suppression, *, fixes: bool, stages: bool) -> Judged:
    drafts, crashed = _drafts(unit)
    found = [(_finding(draft), draft) for draft in drafts]
    left, ignored = [finding for finding, _ in found], 0
    closing: list[Draft] = []
    effective: set[tuple[Place, str]] = set()
    if rules.on:
        left, ignored, closing, effective = _suppressed(unit, left, rules)
    kept = {id(finding) for finding in left}
    entries = []
    undecided = 0
    for finding, draft in [*((one, draft) for one, draft in found if id(one) in kept), *_with(closing)]:
        undecided += draft.undecided
        tried = tuple(_tried(unit, draft, drafts)) if fixes and draft.proposals else ()
        drawn = _stage(draft) if stages else None
        entries.append(seen_through(replace(finding, fixes=tried, stage=drawn), draft, unit))
    workloads = sum(manifest.workload is not None for manifest in unit.templates)
    return Judged(tuple(entries), tuple(crashed), frozenset(effective), undecided, ignored, workloads)


def _stage(draft: Draft) -> Stage | None:
    if draft.run is None:
        return None
    from kubelint_gpu.checks.stage import stage

    return stage(draft.run, len(draft.trace))


def _with(drafts: Iterable[Draft]) -> Iterator[tuple[Finding, Draft]]:
    return ((_finding(draft), draft) for draft in drafts)


def _suppressed(
    unit: Unit, findings: Sequence[Finding], rules: Suppression
) -> tuple[list[Finding], int, list[Draft], set[tuple[Place, str]]]:
    """The findings that are left, how many are not, and what is to be said of the suppressions themselves.

    The last are the places of suppressions in sources of rendered objects that had an effect, each with its cause.
    """
    written = list(ignores(unit))
    if not written:
        return list(findings), 0, [], set()
    left, count, used = suppressed(findings, written, rules.today)
    unused = [
        ignore
        for ignore in written
        if not any(ignore is one for one in used) and not (ignore.code and ignore.code.startswith(rules.off or ("-",)))
    ]
    closing = [draft for one in closing_checks().values() for draft in one(unit, unused, rules.today)]
    told = [(_finding(draft), draft) for draft in closing]
    # a suppression may itself be suppressed, as any other finding
    kept, more, _ = suppressed([finding for finding, _ in told], written, rules.today)
    names = {id(finding) for finding in kept}
    effective = {(one.place, unused_cause(one)) for one in used} if unit.rendered else set()
    return left, count + more, [draft for finding, draft in told if id(finding) in names], effective


def _drafts(unit: Unit) -> tuple[list[Draft], list[Finding]]:
    drafts: list[Draft] = []
    crashed: list[Finding] = []
    for code, found in checks().items():
        try:
            drafts += found(unit)
        except Exception as error:  # noqa: BLE001 - one rule that crashes must not hide what the others found
            crashed.append(_crash(unit, code, found, error))
    return drafts, crashed


def _crash(unit: Unit, code: str, check_function: Check, error: Exception) -> Finding:
    path = unit.sources[0].source.path if unit.sources and unit.sources[0].source else ""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = f" ({at.tb_frame.f_code.co_name}, line {at.tb_lineno})" if at is not None else ""
    return Finding(
        code=INTERNAL,
        name="internal-error",
        severity="error",
        certainty="certain",
        message=f"the rule {code} failed on this file: {type(error).__name__}: {error}{where}; please report it",
        place=Place(path, 1, 1, 1, 1),
        cause=code,
        fingerprint=_hash(INTERNAL, path, code, check_function.__name__),
    )


def _severity(draft: Draft) -> Severity:
    """The severity that the draft says, else its rule's, one step lower where it is only possible."""
    if draft.severity is not None:
        return draft.severity
    severity = rule(draft.code).severity
    return severity if draft.certainty == "certain" else _LOWER[severity]


def _finding(draft: Draft) -> Finding:
    found = rule(draft.code)
    severity = _severity(draft)
    manifest = draft.manifest
    name = manifest.object if manifest is not None else ""
    return Finding(
        code=draft.code,
        name=found.name,
        severity=severity,
        certainty=draft.certainty,
        message=draft.message,
        place=draft.place,
        object=name,
        scheduler=draft.scheduler,
        related=(*draft.related, *layers(draft)),
        trace=draft.trace,
        cycle=tuple(sentence for sentence in draft.cycle if sentence),
        help=draft.help,
        cause=draft.cause,
        fingerprint=_hash(draft.code, draft.place.path, name, draft.cause),
    )


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The same finding said twice is one; different ones with one fingerprint are told apart by number."""
    seen: dict[str, int] = {}
    kept: list[Finding] = []
    said: set[Finding] = set()
    for finding in findings:
        if finding in said:
            continue
        said.add(finding)
        number = seen.get(finding.fingerprint, 0)
        seen[finding.fingerprint] = number + 1
        kept.append(replace(finding, fingerprint=_hash(finding.fingerprint, str(number))) if number else finding)
    return tuple(kept)


def _tried(unit: Unit, draft: Draft, drafts: Sequence[Draft]) -> Iterator[Fix]:
    """The proposals that work: the changed manifest parses, loses the finding, and gains no error and no warning."""
    for proposal in draft.proposals:
        try:
            edits = proposal.edits()
        except NotEditable:
            continue
        if not edits:
            continue
        changed = edited(unit, edits)
        if changed is None:
            continue
        verified = _cures(changed, draft, drafts)
        if not verified and proposal.must_prove:
            continue
        if unit.rendered:
            try:
                edits = _of_sources(unit, changed, edits)
            except NotEditable:
                continue
        yield _fix(proposal, edits, verified and proposal.must_prove)


def _of_sources(unit: Unit, changed: Unit, edits: Sequence[Edit]) -> list[Edit]:
    """The edits as those of files that people write."""
    from kubelint_gpu.checks.transport import source_edits

    made = {one.path for one in unit.rendered}
    return [*(edit for edit in edits if edit.path not in made), *source_edits(unit, changed)]


def edited(unit: Unit, edits: Sequence[Edit]) -> Unit | None:
    """The unit with the edits made; None where the text does not allow them.

    What was made of edited sources is rendered again.
    """
    readings = []
    read_here = {reading.source.path for reading in unit.readings if reading.source is not None}
    if any(edit.path not in read_here for edit in edits):
        from kubelint_gpu.checks.transport import with_edits

        try:
            unit = with_edits(unit, [edit for edit in edits if edit.path not in read_here])
        except NotEditable:
            return None
    for reading in unit.readings:
        mine = [edit for edit in edits if reading.source is not None and edit.path == reading.source.path]
        if not mine or reading.source is None:
            readings.append(reading)
            continue
        try:
            text = apply(reading.source, mine)
        except NotEditable:
            return None
        readings.append(read(reading.source.path, encode(reading.source, text)))
    return unit.with_readings(readings)


def _cures(changed: Unit, draft: Draft, drafts: Sequence[Draft]) -> bool:
    after, crashed = _drafts(changed)
    if crashed:
        return False
    before = {_identity(found) for found in drafts}
    now = {_identity(found): _severity(found) for found in after}
    if _identity(draft) in now:
        return False
    # a note that the finding stood before is no price of the fix
    return all(identity in before for identity, severity in now.items() if severity != "note")


def _identity(draft: Draft) -> tuple[str, str, str, str]:
    manifest = draft.manifest
    if manifest is None:
        return draft.code, draft.place.path, "", draft.cause
    # the source line may be another after an edit, the rendered object is the same
    path = manifest.path if manifest.origin is not None else draft.place.path
    return draft.code, path, manifest.object, draft.cause


def _fix(proposal: Proposal, edits: Sequence[Edit], verified: bool) -> Fix:
    return Fix(
        proposal.title,
        proposal.safety,
        verified,
        tuple(
            TextEdit(
                Place(edit.path, edit.span.line, edit.span.column, edit.span.end_line, edit.span.end_column), edit.text
            )
            for edit in edits
        ),
    )
