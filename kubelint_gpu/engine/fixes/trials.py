"""Asking every rule about a unit, and about the same unit with a change: what the change takes away, what it brings."""

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
"""Objects of a rendered unit that are judged again for trials: its sources are traced again each time, too."""
_ROLLOUTS = 10
"""Rollouts that are judged beside each other: the cube of their number, divided by this, weighs as so many objects."""
FIRST = 8
"""Trials that take place however many objects there are."""
_STEPS = 150_000  # the steps of work after which none of them begins
_PART_OF_TRIAL = 4
_SAVED = 2  # a trial may take so many times less than what was asked before: questions that it leaves equal are known


class Trials:
    """How much of a rendered unit may still be judged again, in thirds of objects: each trial asks all rules about all.

    It is counted and not timed, so that every machine says the same. `asked` are the steps that asking all rules took.
    """

    def __init__(self, unit: ApplySet, asked: int = 0) -> None:
        self._asked = asked
        rolled = len(unit.subjects) if unit.rendered and unit.has_nodes else 0
        self._each = max(3 * len(unit.manifests), rolled**3 // _ROLLOUTS, 1)
        self._left = MOST_RENDERED
        self._end = (left() or 0) - _STEPS

    def spend(self) -> bool:
        """Whether there may be one more; the first ones are allowed however many objects there are."""
        self._left -= self._each
        return self._left >= -FIRST * self._each and (self._left >= 0 or (left() or 0) >= self._end)

    def is_enough(self) -> bool:
        """Whether enough work is left for a trial: what is cut off proves nothing, and costs as much."""
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
    """Each proposal as a fix if it works: the manifest still parses, loses the finding, gains no error and no warning.

    One that does not work is refused, with its cause, and so is one that writes a field anew which stands misplaced;
    one that would change nothing is neither.
    It must mend what is found `beside` the draft, too.
    The numbers in `holds` are of proposals that are known to work; `alone` is asked whether another may be tried, and
    `is_enough` whether work is left for it.
    """
    waiting: Sequence[misplaced_fields.Misplaced] = ()
    whole = [one.manifest for one in (draft, *beside)]
    known = not any(claims_behind(unit, draft, one) or (one is not None and one.unknown) for one in whole)
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
            del changed  # what waits for its next turn keeps what it names
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
    """The edits as those of files that people write."""
    from kubelint_gpu.engine.fixes.transport import source_edits

    made = {one.path for one in unit.rendered}
    return [*(edit for edit in edits if edit.path not in made), *source_edits(unit, changed)]


def edited(unit: ApplySet, edits: Sequence[editing.Edit]) -> ApplySet | None:
    """The unit with the edits made; None where the text does not allow them."""
    try:
        return changed_by(unit, edits)
    except NotEditable:
        return None


def changed_by(unit: ApplySet, edits: Sequence[editing.Edit]) -> ApplySet:
    """The unit with the edits made; what was made of edited sources is rendered again.

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
    """What a change makes of the amounts that workloads ask for; empty where pods ask for as many devices as before.

    Fewer replicas are another amount, and more of them are not.
    """
    before = {one.key: one.workload for one in unit.subjects}
    for after in (one for one in changed.subjects if one.key in before):
        old, new = before[after.key], after.workload
        if new.replicas < old.replicas:
            return f"it would lower the replicas of {workload_name(new)} from {old.replicas} to {new.replicas}"
        if other_devices(old, new):
            return f"it would change how many devices a pod of {workload_name(new)} asks for"
    return ""


def other_devices(old: Workload, new: Workload) -> bool:
    """Whether a pod that asked for devices asks for another number of them, whatever they are called."""
    was, now = (
        sum(amount for name, amount in pod_requests(one.spec).items() if is_extended(name)) for one in (old, new)
    )
    return was not in (0, now)


OF_SEVERAL = frozenset(("KLG106",))
"""The rules about rollouts that begin together: they are named by the first of them."""
_OF_STEADY_STATE = frozenset(("drain", "capacity"))
"""The tags of rules about what runs: how a workload is rolled out does not matter to these."""


def unaffected(unit: ApplySet, changed: ApplySet) -> frozenset[str]:
    """Return tags of rules that a change of a unit cannot concern; none if it may concern all."""
    if len(unit.manifests) != len(changed.manifests):
        return frozenset()
    pairs = zip(unit.manifests, changed.manifests, strict=True)
    other = [(one.workload, two.workload) for one, two in pairs if one.item.value != two.item.value]
    rolls_only = all(
        old is not None and new is not None and replace(new, strategy=old.strategy) == old for old, new in other
    )
    return _OF_STEADY_STATE if rolls_only else frozenset()


def objection(unit: ApplySet, changed: ApplySet, mended: Sequence[Diagnostic], drafts: Sequence[Diagnostic]) -> str:
    """Why a change of a unit does not mend some findings, or not without harm; empty where it does."""
    spared = unaffected(unit, changed)
    spared = spared if all(spared.isdisjoint(rule(draft.code).tags) for draft in mended) else frozenset()
    after, crashed = drafts_of(changed, without=spared)
    if crashed:
        return f"with it {crashed[-1].message}"
    if not {draft.identity for draft in mended}.isdisjoint(found.identity for found in after):
        return "it does not help"
    before = {found.identity for found in drafts}
    # a note that the finding stood before is no price of the change
    fresh = [found for found in after if found.identity not in before]
    about = {draft.identity[1:3] for draft in mended}
    still_open = [found for found in fresh if is_open(found, about)]
    if still_open:
        return f"with it {still_open[0].message}"
    worse = [found for found in fresh if found.effective_severity != "note"]
    return f"it would bring {worse[0].code}: {worse[0].message}" if worse else ""


def is_open(found: Diagnostic, about: Container[tuple[str, ...]]) -> bool:
    """Whether a finding leaves undecided what becomes of one of some objects: not of rollouts that begin together."""
    return bool(found.undecided) and found.code not in OF_SEVERAL and found.identity[1:3] in about


def cured(changed: ApplySet, drafts: Sequence[Diagnostic]) -> frozenset[Identity]:
    """Which of the drafts of a unit a change takes away; none where it brings a new error or warning."""
    after, crashed = drafts_of(changed)
    before = {found.identity for found in drafts}
    now = {found.identity: found.effective_severity for found in after}
    # a note that the finding stood before is no price of the change
    worse = any(one not in before for one, severity in now.items() if severity != "note")
    still_open = {found.identity[1:3] for found in after if found.undecided and found.identity not in before}
    cured = {one for one in before if one not in now and one[1:3] not in still_open}
    return frozenset() if crashed or worse else frozenset(cured)


def _fix(proposal: FixCandidate, edits: Sequence[editing.Edit], verified: bool) -> Fix:
    made = tuple(TextEdit(place_of(edit.path, edit.span), edit.text) for edit in edits)
    return Fix(proposal.whole, proposal.safety, verified, made)
