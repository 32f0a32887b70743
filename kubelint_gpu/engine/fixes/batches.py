"""Trying many fixes of one unit at once: where they hold together, asking every rule once instead of once for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from kubelint_gpu.documents.editing import together
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.engine.asking import drafts_of
from kubelint_gpu.engine.diagnostic import Diagnostic, Identity
from kubelint_gpu.engine.fixes.trials import OF_SEVERAL, changed_by, is_open, other_devices, unaffected
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.values import Value, replace
from kubelint_gpu.work import UsedUp
from kubelint_gpu.workspace.apply_set import ApplySet

if TYPE_CHECKING:
    from kubelint_gpu.documents.editing import Edit


_FEW = 150
"""Workloads times fixes, up to which each fix is tried by itself."""
_MOST_ROUNDS = 12
_COST = 60_000
"""What fixes may cost that are tried by themselves: each the cube of the number of workloads."""
_OBJECTS = 20_000
"""The objects that fixes which are tried by themselves may have judged again in all."""
_TEXT = 60_000_000
"""The characters that fixes which are tried by themselves may read again in all."""
_OF_THE_OBJECT = ("KLG0", "KLG2", "KLG5")
"""Rules whose findings depend on what the object says itself, and on nodes."""
_OF_OTHERS = frozenset(("KLG203",))
"""Among them those whose fix may send pods to nodes on which others run."""

Attempt = tuple[int, int]
"""A draft by its identity as an object, and the number of its proposal."""


class Batches(Value):
    """Which fixes hold together, and how many of the others may be tried by themselves; None for all."""

    holds: frozenset[Attempt] = frozenset()
    alone: int | None = None


def batches(unit: ApplySet, wanted: Sequence[Diagnostic], drafts: Sequence[Diagnostic]) -> Batches:
    """The fixes of a large unit that hold together, one for each object at a time.

    Only such are put together as cannot hide what another one does: those that change nothing but how a workload is
    rolled out, for each rollout is judged while the others keep running, and those of findings that no other object
    decides.
    Renders are left out: their edits are those of sources that may be shared.
    """
    count = sum(len(draft.proposals) for draft in wanted)
    size = sum(len(reading.text) for reading in unit.sources)
    again = max(1, min(_TEXT // max(size, 1), _OBJECTS // max(len(unit.manifests), 1)))
    if unit.rendered or (count * len(unit.subjects) <= _FEW and count <= again):
        return Batches()
    trial = _Trial(unit, drafts)
    for members in islice(_rounds(filter(_declared_once(unit), _members(wanted))), _MOST_ROUNDS):
        trial.hold(members)
    return Batches(frozenset(trial.holds), min(again, _COST // max(len(unit.subjects), 1) ** 3))


class _Member(Value):
    attempt: Attempt
    draft: Diagnostic
    edits: tuple[Edit, ...]


def _declared_once(unit: ApplySet) -> Callable[[_Member], bool]:
    """Whether no other manifest is of the same object: there no fix of one of them takes a finding of both away."""
    counted = Counter((one.path, one.object, one.part) for one in unit.manifests)

    def once(member: _Member) -> bool:
        manifest = member.draft.manifest
        return manifest is None or counted[manifest.path, manifest.object, manifest.part] == 1

    return once


def _rounds(members: Iterable[_Member]) -> Iterator[list[_Member]]:
    """Fixes of different objects whose edits do not meet: the first of each object, then the second."""
    left = list(members)
    while left:
        chosen: list[_Member] = []
        objects: set[Identity] = set()
        spans: set[tuple[str, int]] = set()
        rest: list[_Member] = []
        for member in left:
            name = ("", *member.draft.identity[1:3], "")
            touched = {(edit.path, offset) for edit in member.edits for offset in (edit.span.start, edit.span.end)}
            if name in objects or not spans.isdisjoint(touched):
                rest.append(member)
                continue
            objects.add(name)
            spans |= touched
            chosen.append(member)
        yield chosen
        left = rest


def _members(wanted: Sequence[Diagnostic]) -> Iterator[_Member]:
    for place, draft in enumerate(wanted):
        for number, proposal in enumerate(draft.proposals):
            try:
                edits = together(proposal.edits)
            except (NotEditable, UsedUp):
                continue
            if edits and draft.manifest is not None:
                yield _Member((place, number), draft, tuple(edits))


class _Trial:
    def __init__(self, unit: ApplySet, drafts: Sequence[Diagnostic]) -> None:
        self.holds: set[Attempt] = set()
        self._unit = unit
        self._before = {found.identity for found in drafts}
        self._left = _MOST_ROUNDS

    def hold(self, members: Sequence[_Member]) -> None:
        """Make them all; those hold whose finding goes, whose object is no worse for it, and that block no other."""
        waiting: list[tuple[Sequence[_Member], Collection[str]]] = [(self._apart(members), ())] if self._left else []
        while waiting and self._left:
            tried, only = waiting.pop()
            if not tried:
                continue
            self._left -= 1
            guilty, is_sure = self._guilty(tried, only)
            rest = [one for one in tried if one.attempt not in guilty]
            if guilty:
                # each decides about its own object alone, but for what becomes of rollouts that begin together
                waiting.append((rest, OF_SEVERAL if is_sure else only))
            elif is_sure:
                self.holds |= {one.attempt for one in tried}
            elif len(tried) > 1:
                half = len(tried) // 2
                waiting += [(tried[half:], only), (tried[:half], only)]

    def _guilty(self, members: Sequence[_Member], only: Collection[str]) -> tuple[frozenset[Attempt], bool]:
        """Who must not be among them, and whether that is all that goes wrong; with `only`, as these rules say."""
        try:
            changed = changed_by(self._unit, [edit for one in members for edit in one.edits])
        except (NotEditable, UsedUp):
            return frozenset(), False
        spared = unaffected(self._unit, changed)
        after, crashed = drafts_of(changed, without=spared, only=only)
        now = {found.identity: found.effective_severity for found in after}
        mine = {one.draft.identity[1:3] for one in members}
        bad = [found for found in after if found.effective_severity != "note" or is_open(found, mine)]
        worse = {found.identity[1:3] for found in bad if found.identity not in self._before}
        guilty = [one for one in members if one.draft.identity in now or one.draft.identity[1:3] in worse]
        is_sure = not crashed and worse <= {one.draft.identity[1:3] for one in guilty}
        return frozenset(one.attempt for one in guilty), is_sure

    def _apart(self, members: Sequence[_Member]) -> list[_Member]:
        """Those that decide about nothing but their own object."""
        try:
            changed = changed_by(self._unit, [edit for one in members for edit in one.edits])
        except (NotEditable, UsedUp):
            return []
        before = {one.manifest.object: one.workload for one in self._unit.subjects}
        after = {one.manifest.object: one.workload for one in changed.subjects}
        return [one for one in members if _is_own(one.draft, before, after)]


def _is_own(draft: Diagnostic, before: Mapping[str, Workload], after: Mapping[str, Workload]) -> bool:
    """Whether the change of its object decides about no other object."""
    name = draft.manifest.object if draft.manifest is not None else ""
    old, new = before.get(name), after.get(name)
    if old is not None and new is not None and other_devices(old, new):
        return False
    if draft.code.startswith(_OF_THE_OBJECT) and draft.code not in _OF_OTHERS:
        return True
    return old is not None and new is not None and replace(new, strategy=old.strategy) == old
