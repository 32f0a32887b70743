"""What each claim needs, computed before the search: its requests and constraints, and which devices a request may get.

Source: the first half of `Allocate`, and `validateDeviceRequest`, of the structured allocator, 0.34.1 to 0.36.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kubelint_gpu.budget import STEPS
from kubelint_gpu.kube.dra.claim import ALL, ClaimSpec, DeviceConstraint, DeviceQuery, DeviceRequest
from kubelint_gpu.kube.dra.device import Attribute, attribute_of, qualified
from kubelint_gpu.kube.dra.device_class import DeviceClass
from kubelint_gpu.kube.dra.resource_api import MOST_DEVICES
from kubelint_gpu.kube.dra.selector import Selector, selector
from kubelint_gpu.kube.dra.sight import Sight
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_usage import Usage, has_left
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import (
    OF_CLAIM,
    Effort,
    Failed,
    Name,
    SelectorFailure,
    Unknown,
)
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot, View
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import Features
from kubelint_gpu.values import Value, replace
from kubelint_gpu.work import charge


class Matcher:
    """Caches whether devices satisfy requests."""

    __slots__ = ("_classes", "_found", "_shareable")

    def __init__(self, classes: Mapping[str, DeviceClass], *, shareable: bool) -> None:
        self._classes = classes
        self._shareable = shareable
        self._found: dict[tuple[int, int], bool] = {}

    def selects(self, query: DeviceQuery, number: int, claim: int, place: int, slot: Slot) -> bool:
        """Whether a device satisfies a request; `number` identifies the request, `place` the device.

        Raises:
            Failed: a selector does not compile or has a runtime error.
            Unknown: a selector has no known verdict.
        """
        key = (number, place)
        known = self._found.get(key)
        if known is None:
            known = self._found[key] = self._selects(query, claim, place, slot)
        return known

    def serves(self, query: DeviceQuery, number: int, claim: int, place: int, slot: Slot) -> bool:
        """Whether a device satisfies a request, and the request tolerates its taints."""
        return not query.is_kept_off(slot.device.taints) and self.selects(query, number, claim, place, slot)

    def _selects(self, query: DeviceQuery, claim: int, place: int, slot: Slot) -> bool:
        charge(len(query.selectors) // STEPS.evaluated)
        must_be_declared(slot, [qualified(name, slot.id.driver) for name in query.capacity])
        found = self._classes.get(query.device_class)
        if found is not None:
            of_class = (f"class {found.name}",)
            if not self._match(found.selectors, of_class, SelectorFailure(query, found.name, 0, place, ""), slot):
                return False
        own = SelectorFailure(query, "", 0, place, "")
        return self._match(query.selectors, (OF_CLAIM, Name("claim", claim)), own, slot) and slot.reached

    def _match(
        self, selectors: Sequence[str | None], who: tuple[str | Name, ...], failure: SelectorFailure, slot: Slot
    ) -> bool:
        for number, expression in enumerate(selectors):
            compiled = selector(expression or "", shareable=self._shareable)
            if compiled.error is not None:
                why = f": selector #{number}: CEL compile error: {compiled.error.text}"
                raise Failed(*who, why, selector=replace(failure, number=number))
            must_be_declared(slot, [path[1:] for path in compiled.sight.parts], every=compiled.sight.everything)
            verdict = compiled.verdict(slot.subject)
            if verdict.unknown:
                raise Unknown(f"selector #{number} of a {str(who[0]).partition(' ')[0]}: {verdict.unknown}")
            if verdict.error:
                why = f": selector #{number}: CEL runtime error: {verdict.error}"
                raise Failed(*who, why, selector=replace(failure, number=number, error=verdict.error))
            if not verdict.matches:
                return False
        return True


def must_be_declared(slot: Slot, names: Iterable[tuple[str, str]], *, every: bool = False) -> None:
    """Check that the inventory has these values of a device, or every value.

    Raises:
        Unknown: it does not: the values of the device are made up.
    """
    missing = slot.device.undeclared if every else slot.device.undeclared.intersection(names)
    if missing:
        raise Unknown(f"the inventory does not declare {min(missing)[1]} of its devices")


def sight_of(queries: Sequence[DeviceQuery], classes: Mapping[str, DeviceClass], *, shareable: bool) -> Sight:
    """The parts of devices that the selectors of some requests look at."""
    parts: set[tuple[str, str, str]] = set()
    for compiled in _selectors(queries, classes, shareable):
        if compiled.sight.everything:
            return Sight(everything=True)
        parts |= compiled.sight.parts
    return Sight(frozenset(parts))


def _selectors(queries: Sequence[DeviceQuery], classes: Mapping[str, DeviceClass], shareable: bool) -> list[Selector]:
    texts: dict[str, None] = {}
    for query in queries:
        found = classes.get(query.device_class)
        for expression in (*(found.selectors if found is not None else ()), *query.selectors):
            texts[expression or ""] = None
    return [selector(text, shareable=shareable) for text in texts]


SINGLE = ("string", "int", "bool", "version")
_ROOT = "/pcieRoot"
"""The only attribute of which an inventory does not even say whether two devices have the same value."""


class Query(Value):
    """A request, or one of its alternatives, prepared for the search.

    Attributes:
        number: its number.
        query: what it asks for.
        request: the name of the request.
        alternative: the name of the alternative; empty if it is none.
        needed: how many devices it needs.
        every: the positions of the devices that it needs, if it asks for all.
    """

    number: int
    query: DeviceQuery
    request: str
    alternative: str
    needed: int
    every: tuple[int, ...]

    @property
    def name(self) -> str:
        """`request` or `request/alternative`."""
        return f"{self.request}/{self.alternative}" if self.alternative else self.request


class Needed(Value):
    """What a claim needs: the alternatives of each request, and the constraints on its devices."""

    requests: tuple[tuple[Query, ...], ...]
    checks: tuple[Check, ...]


class ClaimPreparation:
    """Computes what claims need on a node."""

    def __init__(
        self,
        view: View,
        usage: Usage,
        classes: Mapping[str, DeviceClass],
        features: Features,
        matcher: Matcher,
        effort: Effort,
    ) -> None:
        self._view = view
        self._usage = usage
        self._classes = classes
        self._features = features
        self._matcher = matcher
        self._effort = effort
        self._numbers = 0

    def needed(self, place: int, spec: ClaimSpec) -> Needed:
        """What the claim at an index needs.

        Raises:
            Failed: the scheduling attempt fails.
            Unknown: it is not known.
        """
        requests = tuple([self._alternatives(place, request) for request in spec.requests])
        least = sum(min(one.needed for one in found) for found in requests)
        if least > MOST_DEVICES:
            much = f"number of requested devices {least} exceeds the claim limit of {MOST_DEVICES}"
            raise failed(place, f": {much}")
        checks = []
        for number, constraint in enumerate(spec.constraints):
            check = check_of(constraint, compares=self._features.betas)
            if check is None:
                raise failed(place, f", constraint #{number}: empty constraint (unsupported constraint type?)")
            checks.append(check)
        return Needed(requests, tuple(checks))

    def _alternatives(self, place: int, request: DeviceRequest) -> tuple[Query, ...]:
        if request.first_available:
            first = self._numbers
            return tuple([self._query(place, request.name, one.name, one, first) for one in request.first_available])
        if request.exactly is not None:
            return (self._query(place, request.name, "", request.exactly, self._numbers),)
        raise failed(place, f", request {request.name}: unknown request type")

    def _query(self, claim: int, request: str, alternative: str, query: DeviceQuery, first: int) -> Query:
        who = f", request {query.name}"
        for number, expression in enumerate(query.selectors):
            if expression is None:
                what = f", selector #{number}: CEL expression empty (unsupported selector type?)"
                raise failed(claim, who + what)
        if not query.device_class:
            raise failed(claim, f"{who}: missing device class name (unsupported request type?)")
        if query.device_class not in self._classes:
            name = query.device_class
            why = f'deviceclass.resource.k8s.io "{name}" not found'
            raise failed(claim, f"{who}: could not retrieve device class {name}: {why}")
        number = self._numbers
        self._numbers += 1
        if query.mode != ALL:
            return Query(number, query, request, alternative, query.count, ())
        shared = max(first, number - 1) if self._features.mistakes_alternatives else number
        every = self._all(query, -1 - shared, claim)
        return Query(number, query, request, alternative, len(every), every)

    def _all(self, query: DeviceQuery, number: int, claim: int) -> tuple[int, ...]:
        found: list[int] = []
        asks = f", request {query.name}: asks for all devices, but resource pool "
        for place, pool in enumerate(self._view.pools):
            if pool.incomplete:
                raise failed(claim, asks, Name("pool", place), " is currently being updated")
            if pool.invalid:
                raise failed(claim, asks, Name("pool", place), " is currently invalid")
            for position in pool.slots:
                slot = self._view.slots[position]
                self._effort.spend()
                if self._matcher.selects(query, number, claim, position, slot):
                    free = has_left(query.capacity, slot.device.capacity, self._usage.consumed[position])
                    found += [position] * free
        return tuple(found)


def failed(claim: int, *rest: str | Name) -> Failed:
    """The failure of a claim, by its index."""
    return Failed(OF_CLAIM, Name("claim", claim), *rest)


class Check:
    """`matchAttribute`: all devices have the same value; `distinctAttribute`: each has another value."""

    __slots__ = ("_attributes", "_compares", "_count", "_matches", "_name", "_requests")

    def __init__(self, constraint: DeviceConstraint, *, compares: bool) -> None:
        self._requests = frozenset(constraint.requests)
        self._matches = bool(constraint.match)
        self._name = constraint.match or constraint.distinct
        self._compares = compares or self._matches
        self._attributes: dict[str, Attribute] = {}
        self._count = 0

    def add(self, request: str, alternative: str, slot: Slot) -> bool:
        """Add a device if the constraint allows it; return whether it does."""
        if not _concerns(self._requests, request, alternative):
            return True
        if self._name.endswith(_ROOT):
            must_be_declared(slot, [qualified(self._name, "")])
        found = attribute_of(slot.device, slot.id.driver, self._name)
        if found is None:
            return False
        others = self._attributes.values() if self._count and self._compares else ()
        if others and (found.kind not in SINGLE or (found in others) is not self._matches):
            return False
        if not self._matches:
            self._attributes[request] = found
        elif not self._count:
            self._attributes = {"": found}
        self._count += 1
        return True

    def remove(self, request: str, alternative: str) -> None:
        """Remove the device that was added last."""
        if _concerns(self._requests, request, alternative):
            self._attributes.pop(request, None)
            self._count -= 1


def check_of(constraint: DeviceConstraint, *, compares: bool) -> Check | None:
    """The check of a constraint; None if the scheduler does not know the constraint.

    `compares` says whether `distinctAttribute` compares the values of devices.
    The allocator of 1.34 checks `distinctAttribute` although its gate is off: the gate of device status, which is on,
    selects the experimental allocator, 0.34.1.
    """
    return Check(constraint, compares=compares) if constraint.match or constraint.distinct else None


def _concerns(requests: frozenset[str], request: str, alternative: str) -> bool:
    return not requests or request in requests or (bool(alternative) and f"{request}/{alternative}" in requests)
