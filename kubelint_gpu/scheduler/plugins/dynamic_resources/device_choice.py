"""What bounds know of the devices that the claims of one pod may have, node by node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import maxsize

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.dra.claim import ResourceClaim
from kubelint_gpu.kube.dra.device import Attribute, attribute_of
from kubelint_gpu.kube.dra.request import ClaimSpec, most_devices, queries_of
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.constraints import SINGLE
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.matching import Matcher
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import View
from kubelint_gpu.scheduler.plugins.dynamic_resources.attempt_state import AttemptState
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import features_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings
from kubelint_gpu.values import NamedTuple


class DeviceRoom(NamedTuple):
    """What bounds know of the devices of a pod.

    Attributes:
        most: the most devices that its claims take.
        prices: by node, how many devices others hold there at least where the pod finds too few.
        alike: whether it takes one group of devices of which any is as good as any other, now and later.
    """

    most: int = 0
    prices: Mapping[str, int] = EMPTY
    alike: bool = True


class DeviceChoice:
    """Works out what bounds know of the devices of one pod; `devices` are those that it may have."""

    def __init__(self, snapshot: Snapshot, state: AttemptState) -> None:
        self._features = features_of(snapshot.behaviour)
        self._classes = objects_of(snapshot, self._features).classes
        self._held = holdings(snapshot, self._features)
        self._snapshot, self._state = snapshot, state
        self.devices = {one.id for found in state.allocations.values() for one in found.devices}

    def shared(self) -> DeviceRoom:
        """What is known where other pods use the claims, too: they have their devices, or get them."""
        self.own()
        free = [info.name for info in self._snapshot.nodes if self._state.status(info) is None]
        return DeviceRoom(0, dict.fromkeys(free, maxsize), alike=False)

    def own(self) -> DeviceRoom:
        """What is known where the claims are made for the pod."""
        prices: dict[str, int] = {}
        known: dict[object, tuple[set[int], int, bool]] = {}
        for info in self._snapshot.nodes:
            key, wanted = self._state.key(info), self._state.wanted_on(info)
            if wanted is not None:
                if key not in known:
                    known[key] = self._looked_at(*wanted)
                places, prices[info.name], _ = known[key]
                self.devices.update(wanted[1].slots[place].id for place in places)
        most = sum(most_devices(claim.spec) for claim in self._state.wanted)
        return DeviceRoom(most, prices, all(alike for _, _, alike in known.values()))

    def _looked_at(self, claims: Sequence[ResourceClaim], view: View) -> tuple[set[int], int, bool]:
        """The devices of a node by their positions, the price, and whether they are alike."""
        matcher = Matcher(self._classes, shareable=self._features.betas)
        chosen = [
            {place for place, slot in enumerate(view.slots) if matcher.serves(query, number, 0, place, slot)}
            for number, query in enumerate(query for claim in claims for query in queries_of(claim.spec))
        ]
        price = self._of_groups(claims[0].spec, chosen, view) if len(claims) == 1 else None
        return set().union(*chosen), price or 0, price is not None

    def _of_groups(self, spec: ClaimSpec, chosen: Sequence[set[int]], view: View) -> int | None:
        """How many devices have to go before no group of a node has enough; None where it does not take one group."""
        names = {request.name for request in spec.requests}
        if any(request.first_available for request in spec.requests) or any(query.admin for query in queries_of(spec)):
            return None
        if any(one != chosen[0] for one in chosen):
            return None
        if any(one.requests and not names <= {*one.requests} for one in spec.constraints):
            return None
        slots = [view.slots[place] for place in sorted(chosen[0])]

        def values(name: str) -> list[Attribute | None]:
            return [attribute_of(slot.device, slot.id.driver, name) for slot in slots]

        every = [values(one.match or one.distinct) for one in spec.constraints]
        if any(value is not None and value.kind not in SINGLE for found in every for value in found):
            return None
        apart = [found for one, found in zip(spec.constraints, every, strict=True) if one.distinct]
        if any(None in found or len({*found}) < len(found) for found in apart):
            return None
        alike = list(zip(*[values(one.match) for one in spec.constraints if one.match], strict=True))
        groups = grouped(zip(alike or [()] * len(slots), slots, strict=True))
        free = [
            sum(slot.id not in self._held.exclusive for slot in found)
            for key, found in groups.items()
            if None not in key
        ]
        return sum(max(0, size - most_devices(spec) + 1) for size in free)
