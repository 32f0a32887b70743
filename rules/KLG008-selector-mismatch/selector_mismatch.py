"""Selectors that do not select the intended pods."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator, Sequence
from itertools import islice

from kubelint_gpu.documents import editing
from kubelint_gpu.engine.api import (
    ApplySet,
    Diagnostic,
    FixCandidate,
    Manifest,
    Place,
    Pointer,
    Related,
    WorkloadCheck,
    rule,
)
from kubelint_gpu.kube.values.errors import is_placeholder
from kubelint_gpu.kube.values.selectors import Requirement
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.values import Value
from kubelint_gpu.work import charge

_SELECTOR: Pointer = ("spec", "selector")
_MOST_OVERLAPS = 8


@rule("KLG008")
def selector_mismatch(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield selectors that do not match their own template, or that also match another workload's pods."""
    owners = [subject for subject in unit.subjects if subject.workload.selector is not None]
    for subject in owners:
        selector = subject.workload.selector
        if selector is None or not selector.requirements:
            continue
        labels = subject.workload.template.labels
        missed = [one for one in selector.requirements if not one.matches(labels) and not _may_match(subject, one)]
        if missed:
            yield _own(subject, missed)
    yield from _overlaps(owners)


def _may_match(subject: WorkloadCheck, one: Requirement) -> bool:
    """Whether a value filled in later may make the labels meet a requirement."""
    labels = subject.workload.template.labels
    unknown = any(problem.pointer[-1] == "labels" for problem in subject.manifest.unknown)
    return unknown or any(map(is_placeholder, (one.key, *one.values, *labels, labels.get(one.key))))


def _own(subject: WorkloadCheck, missed: list[Requirement]) -> Diagnostic:
    manifest = subject.manifest
    labels: Pointer = (*subject.workload.template_pointer, "metadata", "labels")
    one = missed[0]
    has = subject.workload.template.labels.get(one.key)
    text = _shown(one)
    pods = f"{one.key}={has}" if has is not None else f"no label {one.key}"
    return Diagnostic(
        "KLG008",
        manifest.place((*labels, one.key)),
        f"the selector wants {text} and the pods have {pods}: the API server refuses it",
        manifest,
        cause=f"own/{one.key}",
        related=(Related(_place_of(manifest, one), f"the selector wants {text}"),),
        proposals=_copies(subject, labels, missed),
    )


def _copies(subject: WorkloadCheck, labels: Pointer, missed: list[Requirement]) -> tuple[FixCandidate, ...]:
    manifest = subject.manifest
    if any(one.operator != "In" or len(one.values) != 1 for one in missed):
        return ()

    def edits() -> list[editing.Edit]:
        if manifest.present(labels):
            return [editing.set_key(manifest.item, labels, one.key, one.values[0]) for one in missed]
        wanted = {one.key: one.values[0] for one in missed}
        return [editing.set_key(manifest.item, labels[:-2], "metadata", {"labels": wanted})]

    return (FixCandidate(f"set {listed([_shown(one) for one in missed])} in the pod template", "unsafe", edits),)


def _overlaps(owners: list[WorkloadCheck]) -> Iterator[Diagnostic]:
    for one, whose, more in _overlapping(owners):
        selector = one.workload.selector
        manifest = one.manifest
        shown = [_shown(found) for found in selector.requirements] if selector is not None else []
        if more:
            yield Diagnostic(
                "KLG008",
                manifest.place(_SELECTOR, "key"),
                f"the selector matches the pods of {more} further workloads, too: {listed(shown)}",
                manifest,
                cause="overlap/further",
                severity="warning",
            )
            continue
        yield Diagnostic(
            "KLG008",
            manifest.place(_SELECTOR, "key"),
            f"the selector matches the pods of {whose.workload.kind} {whose.workload.meta.name}, too: {listed(shown)}",
            manifest,
            cause=f"overlap/{whose.workload.key}",
            severity="warning",
            related=(
                Related(
                    whose.manifest.place((*whose.workload.template_pointer, "metadata", "labels"), "key"),
                    f"{whose.workload.meta.name} gives its pods these labels",
                ),
            ),
        )


class _Alike(Value):
    """The numbers of workloads of one namespace with equal selectors and equal pod labels; `objects` has each once."""

    numbers: list[int]
    objects: dict[str, list[int]]

    def after(self, number: int, name: str) -> Iterator[int]:
        """Yield the later workloads in the text, except those of one object."""
        mine = frozenset(self.objects.get(name, ()))
        later = range(bisect_right(self.numbers, number), len(self.numbers))
        return (self.numbers[place] for place in later if self.numbers[place] not in mine)

    def before(self, number: int, name: str) -> Iterator[int]:
        """Yield the earlier workloads in the text, except those of one object."""
        mine = frozenset(self.objects.get(name, ()))
        earlier = range(bisect_left(self.numbers, number))
        return (self.numbers[place] for place in earlier if self.numbers[place] not in mine)

    def count(self, number: int, name: str, *, earlier: bool) -> int:
        """Return how many workloads come later, or with `earlier` also before, except those of one object."""
        mine = self.objects.get(name, [])
        if earlier:
            return len(self.numbers) - len(mine)
        return _later(self.numbers, number) - _later(mine, number)


def _overlapping(owners: Sequence[WorkloadCheck]) -> Iterator[tuple[WorkloadCheck, WorkloadCheck, int]]:
    """Yield pairs of objects of one namespace whose first selects pods of the second, in the order of the text.

    If both select each other's pods, the earlier object is first. After the first few pairs of an object, the number is
    that of all remaining ones, else 0.
    """
    groups: dict[Hashable, _Alike] = {}
    like = [
        (one.workload.meta.namespace, one.workload.selector, one.workload.template.labels, one.manifest.object)
        for one in owners
    ]
    for number, (*key, name) in enumerate(like):
        group = groups.setdefault(tuple(key), _Alike([], {}))
        group.numbers.append(number)
        group.objects.setdefault(name, []).append(number)
    selects = _selecting([owners[group.numbers[0]] for group in groups.values()])
    alike = list(groups.values())
    position = {key: place for place, key in enumerate(groups)}
    selected = [set(found) for found in selects]
    found: list[tuple[int, int, WorkloadCheck, WorkloadCheck, int]] = []
    for number, (*key, name) in enumerate(like):
        mine = position[tuple(key)]
        if not selects[mine]:
            continue
        others = sorted(
            other
            for place in selects[mine]
            if len(alike[place].objects) > (name in alike[place].objects)
            for other in (
                *islice(alike[place].after(number, name), _MOST_OVERLAPS + 1),
                *(() if mine in selected[place] else islice(alike[place].before(number, name), _MOST_OVERLAPS + 1)),
            )
        )
        told = others[:_MOST_OVERLAPS]
        one = owners[number]
        found += [(min(number, other), max(number, other), one, owners[other], 0) for other in told]
        if len(others) > len(told):
            every = sum(
                alike[place].count(number, name, earlier=mine not in selected[place]) for place in selects[mine]
            )
            found.append((number, len(owners), one, one, every - len(told)))
    found.sort(key=lambda pair: pair[:2])
    return ((one, whose, more) for _, _, one, whose, more in found)


def _selecting(owners: Sequence[WorkloadCheck]) -> list[list[int]]:
    """Return for each workload the numbers of workloads in its namespace whose labels its selector matches.

    Each is compared only with workloads that have a label of its selector.
    """
    having: dict[tuple[str, str, str], list[int]] = {}
    within: dict[str, list[int]] = {}
    for number, owner in enumerate(owners):
        within.setdefault(owner.workload.meta.namespace, []).append(number)
        for key, value in owner.workload.template.labels.items():
            having.setdefault((owner.workload.meta.namespace, key, value), []).append(number)
    found: list[list[int]] = []
    for one in owners:
        selector, namespace = one.workload.selector, one.workload.meta.namespace
        if selector is None or not selector.requirements:
            found.append([])
            continue
        narrow = [
            [other for value in requirement.values for other in having.get((namespace, requirement.key, value), ())]
            for requirement in selector.requirements
            if requirement.operator == "In"
        ]
        candidates = min(narrow, key=len, default=within[namespace])
        charge(1 + len(candidates) // 4)
        found.append([other for other in candidates if selector.matches(owners[other].workload.template.labels)])
    return found


def _later(numbers: Sequence[int], number: int) -> int:
    return len(numbers) - bisect_right(numbers, number)


def _place_of(manifest: Manifest, one: Requirement) -> Place:
    for route in ((*_SELECTOR, "matchLabels", one.key), (*_SELECTOR, one.key)):
        if manifest.present(route):
            return manifest.place(route)
    return manifest.place(_SELECTOR, "key")


def _shown(one: Requirement) -> str:
    return f"{one.key}={one.values[0]}" if one.operator == "In" and len(one.values) == 1 else str(one)
