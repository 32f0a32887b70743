"""What each claim needs, computed before the search: its requests and its constraints.

Source: the first half of `Allocate`, and `validateDeviceRequest`, of the structured allocator, 0.34.1 to 0.36.3.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubelint_gpu.kube.dra.claim import ALL, ClaimSpec, DeviceConstraint, DeviceQuery, DeviceRequest
from kubelint_gpu.kube.dra.device import Attribute, attribute_of, qualified
from kubelint_gpu.kube.dra.device_class import DeviceClass
from kubelint_gpu.kube.dra.resource_api import MOST_DEVICES
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.consumable_capacity import has_left
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_usage import Usage
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.matching import Matcher, must_be_declared
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import OF_CLAIM, Effort, Failed, Name
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot, View
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import Features
from kubelint_gpu.values import Value

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
