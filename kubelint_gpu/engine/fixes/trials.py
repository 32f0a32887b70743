"""Tries a change: asks every rule about the changed unit, and compares the findings before and after."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

from kubelint_gpu.analysis.fields import misplaced_fields
from kubelint_gpu.documents import editing, encode, read
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.engine.asking import claims_behind, drafts_of
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate, Identity
from kubelint_gpu.findings.catalogue import rule
from kubelint_gpu.findings.finding import Fix, Refusal, TextEdit
from kubelint_gpu.kube.objects.requests import is_extended, pod_requests
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.messages.wording import USED_UP, workload_name
from kubelint_gpu.values import replace
from kubelint_gpu.work import UsedUp, left, part
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import place_of
from kubelint_gpu.workspace.unread_objects import decisive

_UNTRIED = "it was not tried, because so many workloads are applied together: check the file by itself, or fewer"
_NO_WORK = f"it was not tried: {USED_UP}"
MOST_RENDERED = 10_000
"""The most objects of a rendered unit that trials judge again; each trial also traces the sources again."""
_ROLLOUTS = 10
"""Rollouts that compete: the cube of their number, divided by this, counts as so many objects."""
FIRST = 8
"""Trials that are always allowed, for any number of objects."""
_STEPS = 150_000  # after so many steps of work, no trial begins
_PART_OF_TRIAL = 4
_SAVED = 2  # a trial may cost so many times less than the first run: answers to unchanged questions are known


class Trials:
    """The allowance of a rendered unit for trials, in thirds of objects. Each trial asks all rules about all objects.

    Objects are counted and time is not measured, so that all machines answer alike. `asked` is the number of steps that
    the first run of all rules took.
    """

    def __init__(self, unit: ApplySet, asked: int = 0) -> None:
        self._asked = asked
        rolled = len(unit.subjects) if unit.rendered and unit.has_nodes else 0
        self._each = max(3 * len(unit.manifests), rolled**3 // _ROLLOUTS, 1)
        self._left = MOST_RENDERED
        self._end = (left() or 0) - _STEPS

    def spend(self) -> bool:
        """Spend one trial; return whether the allowance covers it. The first trials are always covered."""
        self._left -= self._each
        return self._left >= -FIRST * self._each and (self._left >= 0 or (left() or 0) >= self._end)

    def is_enough(self) -> bool:
        """Whether enough steps are left for a trial. A trial that is cut off costs steps and proves nothing."""
        steps = left()
        return steps is None or steps // _PART_OF_TRIAL * _SAVED >= self._asked


def tried(
    unit: ApplySet,
    draft: Diagnostic,
    drafts: Sequence[Diagnostic],
    holds: Container[int] = (),
    alone: Callable[[], bool] = lambda: True,
    is_enough: Callable[[], bool] = lambda: True,
    beside: Sequence[Diagnostic] = (),
) -> Iterator[Fix | Refusal]:
    """Yield each proposal as a fix if it works, else as a refusal with its cause.

    A proposal works if the manifest still parses, loses the finding and those `beside` it, and gains no error and no
    warning. A proposal is refused if it writes a field again that exists at a wrong place. A proposal without edits is
    skipped. `holds` has the numbers of proposals that are known to work. `alone` says whether another trial is allowed,
    `is_enough` whether work is left for it.
    """
    waiting: Sequence[misplaced_fields.Misplaced] = ()
    concerned = [each.manifest for each in (draft, *beside)]
    known = not any(claims_behind(unit, draft, each) or (each is not None and each.unknown) for each in concerned)
    sure = known and not decisive(unit)
    if draft.proposals and draft.manifest is not None and draft.code != misplaced_fields.MISPLACED:
        waiting = misplaced_fields.misplaced_in(unit, draft.manifest)
    for number, proposal in enumerate(draft.proposals):
        try:
            edits = editing.together(proposal.edits)
            if not edits:
                continue
            early = misplaced_fields.overtaken(waiting, changed_by(unit, edits)) if waiting else ""
            if early:
                yield Refusal(proposal.title, proposal.safety, early, proposal.effect)
                continue
            if number in holds:
                yield _fix(proposal, edits, proposal.must_prove and sure)
                continue
            if not alone():
                yield Refusal(proposal.title, proposal.safety, _UNTRIED, proposal.effect)
                continue
            if not is_enough():
                yield Refusal(proposal.title, proposal.safety, _NO_WORK, proposal.effect)
                continue
            with part(1, _PART_OF_TRIAL):
                changed = changed_by(unit, edits)
                why = objection(unit, changed, (draft, *beside), drafts) if proposal.must_prove else ""
            other = "" if proposal.of_amounts else asks_for_other(unit, changed)
            works = not other and not why
            made = _of_sources(unit, changed, edits) if works and unit.rendered else edits
            del changed  # a suspended generator would keep it in memory
            if other:
                yield Refusal(proposal.title, proposal.safety, other, proposal.effect)
                continue
            if works:
                yield _fix(proposal, made, proposal.must_prove and sure)
                continue
        except NotEditable as error:
            why = str(error)
        except UsedUp:
            why = _NO_WORK
        yield Refusal(proposal.title, proposal.safety, why, proposal.effect)


def _of_sources(unit: ApplySet, changed: ApplySet, edits: Sequence[editing.Edit]) -> list[editing.Edit]:
    """Return the edits with those of rendered texts translated into edits of their sources."""
    from kubelint_gpu.engine.fixes.transport import source_edits

    made = {rendition.path for rendition in unit.rendered}
    return [*(edit for edit in edits if edit.path not in made), *source_edits(unit, changed)]


def edited(unit: ApplySet, edits: Sequence[editing.Edit]) -> ApplySet | None:
    """Return the edited unit; None if the text does not allow the edits."""
    try:
        return changed_by(unit, edits)
    except NotEditable:
        return None


def changed_by(unit: ApplySet, edits: Sequence[editing.Edit]) -> ApplySet:
    """Return the edited unit; renders of edited sources are made again.

    Raises:
        NotEditable: the text does not allow them, or cannot be read after them.
    """
    readings = []
    read_here = {reading.path for reading in unit.readings}
    if any(edit.path not in read_here for edit in edits):
        from kubelint_gpu.engine.fixes.transport import with_edits

        unit = with_edits(unit, [edit for edit in edits if edit.path not in read_here])
    for reading in unit.readings:
        mine = [edit for edit in edits if reading.source is not None and edit.path == reading.source.path]
        if not mine or reading.source is None:
            readings.append(reading)
            continue
        after = read(reading.source.path, encode(reading.source, editing.apply(reading.source, mine)))
        if len(after.problems) > len(reading.problems):
            problem = after.problems[-1]
            raise NotEditable(f"the text could no longer be read: {problem.message}")
        readings.append(after)
    return unit.with_readings(readings)


def asks_for_other(unit: ApplySet, changed: ApplySet) -> str:
    """Return a sentence about a change of the requested amounts; empty if pods request as many devices as before.

    Fewer replicas are such a change, more replicas are not.
    """
    before = {subject.key: subject.workload for subject in unit.subjects}
    for after in (subject for subject in changed.subjects if subject.key in before):
        old, new = before[after.key], after.workload
        if new.replicas < old.replicas:
            return f"it would lower the replicas of {workload_name(new)} from {old.replicas} to {new.replicas}"
        if other_devices(old, new):
            return f"it would change how many devices a pod of {workload_name(new)} asks for"
    return ""


def other_devices(old: Workload, new: Workload) -> bool:
    """Whether a pod that requested devices now requests another number, under any resource names."""
    was, now = (
        sum(amount for name, amount in pod_requests(workload.spec).items() if is_extended(name))
        for workload in (old, new)
    )
    return was not in (0, now)


OF_SEVERAL = frozenset(("KLG106",))
"""The rules about rollouts that begin together. Their findings name the first rollout."""
_OF_STEADY_STATE = frozenset(("drain", "capacity"))
"""The tags of rules about running pods. A rollout strategy does not matter to these rules."""


def unaffected(unit: ApplySet, changed: ApplySet) -> frozenset[str]:
    """Return tags of rules that a change of a unit cannot affect; none if it might affect all rules."""
    if len(unit.manifests) != len(changed.manifests):
        return frozenset()
    pairs = zip(unit.manifests, changed.manifests, strict=True)
    other = [(old.workload, new.workload) for old, new in pairs if old.item.value != new.item.value]
    rolls_only = all(
        old is not None and new is not None and replace(new, strategy=old.strategy) == old for old, new in other
    )
    return _OF_STEADY_STATE if rolls_only else frozenset()


def objection(unit: ApplySet, changed: ApplySet, mended: Sequence[Diagnostic], drafts: Sequence[Diagnostic]) -> str:
    """Return why a change does not fix some findings, or harms others; empty if it works."""
    spared = unaffected(unit, changed)
    spared = spared if all(spared.isdisjoint(rule(draft.code).tags) for draft in mended) else frozenset()
    after, crashed = drafts_of(changed, without=spared)
    if crashed:
        return f"with it {crashed[-1].message}"
    if not {draft.identity for draft in mended}.isdisjoint(draft.identity for draft in after):
        return "it does not help"
    before = {draft.identity for draft in drafts}
    # a new note is allowed: the finding may have hidden it
    fresh = [draft for draft in after if draft.identity not in before]
    about = {draft.identity[1:3] for draft in mended}
    still_open = [draft for draft in fresh if is_open(draft, about)]
    if still_open:
        return f"with it {still_open[0].message}"
    worse = [draft for draft in fresh if draft.effective_severity != "note"]
    return f"it would bring {worse[0].code}: {worse[0].message}" if worse else ""


def is_open(draft: Diagnostic, about: Container[tuple[str, ...]]) -> bool:
    """Whether a finding leaves the fate of one of some objects undecided. Rollouts that begin together do not count."""
    return bool(draft.undecided) and draft.code not in OF_SEVERAL and draft.identity[1:3] in about


def cured(changed: ApplySet, drafts: Sequence[Diagnostic]) -> frozenset[Identity]:
    """Return the drafts of a unit that a change removes, by identity; none if it adds an error or a warning."""
    after, crashed = drafts_of(changed)
    before = {draft.identity for draft in drafts}
    now = {draft.identity: draft.effective_severity for draft in after}
    # a new note is allowed: the finding may have hidden it
    worse = any(identity not in before for identity, severity in now.items() if severity != "note")
    still_open = {draft.identity[1:3] for draft in after if draft.undecided and draft.identity not in before}
    cured = {identity for identity in before if identity not in now and identity[1:3] not in still_open}
    return frozenset() if crashed or worse else frozenset(cured)


def _fix(proposal: FixCandidate, edits: Sequence[editing.Edit], verified: bool) -> Fix:
    made = tuple(TextEdit(place_of(edit.path, edit.span), edit.text) for edit in edits)
    return Fix(proposal.whole, proposal.safety, verified, made)
