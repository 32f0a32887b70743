"""Label requirements as sets of values: what remains if several must hold together.

A label is absent or has a value; a requirement allows some of these.
Emptiness is exact: nothing remains if and only if no node, in any cluster, satisfies all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations, count
from typing import Any, TypeVar

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.kube.values.selectors import NODE_NAME_FIELD, Requirement, parse_int64
from kubelint_gpu.values import Value
from kubelint_gpu.work import charge, left

T = TypeVar("T")

_LOWEST, _HIGHEST = -1, 2**63
_LONGEST_VALUE = 63
_AFFINITY: Pointer = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")


class Allowed(Value):
    """The allowed values of a label.

    Attributes:
        absent: whether the node may lack it.
        values: the only allowed values; None for all but `excluded`.
        excluded: values that are not allowed.
        above: the number it must exceed, None without such a bound; a bound admits only values that are int64.
        below: the number it must stay under.
    """

    absent: bool = True
    values: frozenset[str] | None = None
    excluded: frozenset[str] = frozenset()
    above: int | None = None
    below: int | None = None

    def __and__(self, other: Allowed) -> Allowed:
        """What both allow."""
        values = self.values if other.values is None else other.values
        if self.values is not None and other.values is not None:
            values = self.values & other.values
        above = [bound for bound in (self.above, other.above) if bound is not None]
        below = [bound for bound in (self.below, other.below) if bound is not None]
        return Allowed(
            self.absent and other.absent,
            values,
            self.excluded | other.excluded,
            max(above, default=None),
            min(below, default=None),
        )

    def has(self, value: str | None) -> bool:
        """Whether a node with this value, or without the label (None), is allowed."""
        if value is None:
            return self.absent
        if self.values is not None and value not in self.values:
            return False
        return value not in self.excluded and self._within(value)

    @property
    def empty(self) -> bool:
        """Whether nothing is allowed."""
        return not self.absent and next(self._present(padded=True), None) is None

    @property
    def plainly_empty(self) -> bool:
        """Whether only numbers with leading zeros are allowed, which nobody writes."""
        return not self.absent and next(self._present(padded=False), None) is None

    @property
    def example(self) -> str | None:
        """An allowed value; None if there is none."""
        if self.values is None and self.above is None and self.below is None:
            return next(text for number in count(1) if (text := f"any-{number}") not in self.excluded)
        return next(self._present(padded=True), None)

    def _within(self, value: str) -> bool:
        if self.above is None and self.below is None:
            return True
        number = parse_int64(value)
        if number is None:
            return False
        return (self.above is None or number > self.above) and (self.below is None or number < self.below)

    def _present(self, *, padded: bool) -> Iterator[str]:
        """Yield some of the allowed values, at least one if there is any."""
        if self.values is not None:
            yield from (value for value in sorted(self.values) if self.has(value))
        elif self.above is None and self.below is None:
            yield "any"
        else:
            low = max(_LOWEST, _LOWEST if self.above is None else self.above)
            high = min(_HIGHEST, _HIGHEST if self.below is None else self.below)
            # each excluded text can take away one number, so one more than that many numbers suffice
            for number in range(low + 1, min(high, low + 2 + len(self.excluded))):
                for text in _spellings(number) if padded else [str(number)]:
                    if text not in self.excluded:
                        yield text
                        break


def _spellings(number: int) -> Iterator[str]:
    text = str(number)
    return (text.rjust(width, "0") for width in range(len(text), _LONGEST_VALUE + 1))


ANYTHING = Allowed()


def allowed(requirement: Requirement) -> Allowed:
    """Return the values that one requirement allows; an absent label only satisfies NotIn and DoesNotExist."""
    values = frozenset(requirement.values)
    if requirement.operator == "In":
        return Allowed(absent=False, values=values)
    if requirement.operator == "NotIn":
        return Allowed(excluded=values)
    if requirement.operator == "Exists":
        return Allowed(absent=False)
    if requirement.operator == "DoesNotExist":
        return Allowed(values=frozenset())
    bound = parse_int64(requirement.values[0]) if len(requirement.values) == 1 else None
    if bound is None:
        return Allowed(absent=False, values=frozenset())
    return Allowed(absent=False, above=bound) if requirement.operator == "Gt" else Allowed(absent=False, below=bound)


class NumberBound(Value):
    """A requirement on nodes with its pointer in the pod's spec; `field` for the node's name."""

    requirement: Requirement
    pointer: Pointer
    field: bool = False

    @property
    def subject(self) -> tuple[bool, str]:
        """Its subject: whether it is the node's name, and the key."""
        return self.field, self.requirement.key

    @property
    def allowed(self) -> Allowed:
        """Return the values that it allows; a node always has a name."""
        found = allowed(self.requirement)
        return found & Allowed(absent=False) if self.field else found


def alternatives(spec: PodSpec) -> tuple[tuple[NumberBound, ...], ...]:
    """The requirements of a pod on a node's labels and name, as alternatives of which each is a conjunction.

    Without required node affinity there is one; with an empty list of terms there is none, and no node matches.
    A term that is empty, or that the scheduler cannot parse, is no alternative.
    """
    return _remembered(_alternatives, spec)


def _alternatives(spec: PodSpec) -> tuple[tuple[NumberBound, ...], ...]:
    plain = tuple(
        NumberBound(Requirement(key, "In", (value,)), ("nodeSelector", key))
        for key, value in sorted((spec.node_selector or {}).items())
    )
    if spec.node_affinity is None:
        return (plain,)
    return tuple(
        (
            *plain,
            *_term_bounds(number, term.expressions, "matchExpressions"),
            *_term_bounds(number, term.fields, "matchFields"),
        )
        for number, term in enumerate(spec.node_affinity.terms)
        if (term.expressions or term.fields) and term.parses
    )


def _term_bounds(number: int, requirements: Iterable[Requirement], part: str) -> Iterator[NumberBound]:
    for index, requirement in enumerate(requirements):
        yield NumberBound(
            requirement, (*_AFFINITY, number, part, index), requirement.key == NODE_NAME_FIELD and part == "matchFields"
        )


class Contradiction(Value):
    """Requirements that cannot hold together: two that exclude each other, or a minimal larger set.

    `plain` says that only a number with leading zeros would satisfy them.
    """

    bounds: tuple[NumberBound, ...]
    plain: bool = False


def contradiction(bounds: Iterable[NumberBound]) -> Contradiction | None:
    """The smallest set of requirements of a conjunction that excludes every node; None if there is none."""
    bounds = tuple(bounds)
    charge(len(bounds))
    by_subject = grouped((bound.subject, bound) for bound in bounds)
    for plain in (False, True):
        for members in by_subject.values():
            if _is_empty(members, plain=plain):
                return Contradiction(tuple(_smallest(members, plain=plain)), plain)
    return None


def conjunction(bounds: Iterable[NumberBound]) -> dict[tuple[bool, str], Allowed]:
    """The allowed values of requirements that hold together, by subject."""
    found: dict[tuple[bool, str], Allowed] = {}
    for bound in bounds:
        charge(1)
        found[bound.subject] = found.get(bound.subject, ANYTHING) & bound.allowed
    return found


def agree(one: Mapping[tuple[bool, str], Allowed], bounds: Iterable[NumberBound]) -> bool:
    """Whether a node could satisfy a conjunction and some more requirements."""
    found: dict[tuple[bool, str], Allowed] = {}
    for bound in bounds:
        charge(1)
        subject = bound.subject
        found[subject] = found.get(subject, one.get(subject, ANYTHING)) & bound.allowed
        if found[subject].plainly_empty:
            return False
    return True


def unsatisfiable(spec: PodSpec) -> tuple[Contradiction, ...] | None:
    """Why no node of any cluster satisfies a pod's selector and affinity, one reason for each alternative.

    None if some node could; empty if the affinity has no term that could match anything.
    """
    return _remembered(_unsatisfiable, spec)


def _unsatisfiable(spec: PodSpec) -> tuple[Contradiction, ...] | None:
    found = [contradiction(bounds) for bounds in alternatives(spec)]
    reasons = tuple(one for one in found if one is not None)
    return reasons if len(reasons) == len(found) else None


_MOST_KEPT = 256
_kept: dict[tuple[object, PodSpec], tuple[int, Any]] = {}


def _remembered(compute: Callable[[PodSpec], T], spec: PodSpec) -> T:
    """Return `compute(spec)`, cached for the last few specs: those of one unit are used again and again.

    A cached result charges the same steps, so that the cache changes no answer.
    """
    key = (compute, spec)
    found = _kept.get(key)
    if found is None:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        before = left()
        answer = compute(spec)
        after = left()
        _kept[key] = before - after if before is not None and after is not None else 0, answer
        return answer
    charge(found[0])
    kept: T = found[1]
    return kept


def satisfied(bounds: Iterable[NumberBound], labels: Mapping[str, str], name: str) -> bool:
    """Whether a node with these labels and this name meets every requirement of a conjunction."""
    charge(1)
    return all(bound.requirement.matches({NODE_NAME_FIELD: name} if bound.field else labels) for bound in bounds)


def _is_empty(members: Iterable[NumberBound], *, plain: bool) -> bool:
    members = tuple(members)
    charge(len(members))
    together = ANYTHING
    for member in members:
        together &= member.allowed
    return together.plainly_empty if plain else together.empty


def _smallest(members: list[NumberBound], *, plain: bool) -> list[NumberBound]:
    for size in (1, 2):
        for few in combinations(members, size):
            if _is_empty(few, plain=plain):
                return list(few)
    left = list(members)
    for member in members:
        rest = [other for other in left if other is not member]
        if _is_empty(rest, plain=plain):
            left = rest
    return left
