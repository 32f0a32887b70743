"""Which pods hold the devices that a pod could get on a node, and how many of these devices are free."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.dra.claim import ResourceClaim
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.claim_requests import Matcher
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_usage import Books, Holdings, has_left, takers
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import Failed, Unknown
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings, users_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import state_of
from kubelint_gpu.values import Value


class DeviceHolder(Value):
    """A device that blocks a pod on a node: the pod could get it, or the device uses the counters that the pod needs.

    Attributes:
        device: its identifier.
        claim: the claim that has it.
        users: the placed pods that use that claim; empty if it is reserved for no existing pod.
        counters: whether the pod only needs its counters.
    """

    device: DeviceID
    claim: str
    users: tuple[Pod, ...]
    counters: bool = False

    @property
    def thing(self) -> str:
        """The name of what the pod could get: the device or its counters."""
        return f"counters of {self.device}" if self.counters else str(self.device)


def blockers(pod: Pod, snapshot: Snapshot, node_name: str) -> tuple[DeviceHolder, ...]:
    """The holders of devices that a pod could get on a node, in the order in which the scheduler tries them."""
    told: dict[object, dict[str, tuple[DeviceHolder, ...]]] = snapshot.derived("device blockers", lambda _: {})
    key = (pod.identifier, pod.spec.resource_claims, snapshot.memory.load(pod).requests)
    found = told.setdefault(key, {})
    if node_name not in found:
        found[node_name] = tuple(_blockers(pod, snapshot, node_name))
    return found[node_name]


def _blockers(pod: Pod, snapshot: Snapshot, node_name: str) -> Iterator[DeviceHolder]:
    could, node = possible_devices(pod, snapshot, node_name), snapshot.node(node_name)
    if not could or node is None:
        return
    holders, held = snapshot.derived("device holders", _holders), holdings(snapshot)
    view = objects_of(snapshot).slices.view(node.node)
    left = possible_devices(pod, snapshot, node_name, held) if any(pool.counters for pool in view.pools) else could
    lacking = {*could}.difference(holders, left or ())
    parts = [one for one in takers(view, lacking, held.is_allocated) if one not in could] if lacking else []
    for counters, devices in enumerate((could, parts)):
        for device in devices:
            for key in holders.get(device, ()):
                yield DeviceHolder(device, key, users_of(key, snapshot), bool(counters))


def _holders(snapshot: Snapshot) -> Mapping[DeviceID, Sequence[str]]:
    """The claims that have each device."""
    claims = holdings(snapshot).claims
    return grouped((one.id, key) for key, found in claims.items() for one in found.devices if not one.admin)


def stock(pod: Pod, snapshot: Snapshot, node_name: str) -> tuple[int, int] | None:
    """How many of the devices that a pod could get on a node are free, and how many there are; None without claims.

    If claims share a device or counters, a device is free if enough is left for one of the pod's requests.
    """
    could = possible_devices(pod, snapshot, node_name)
    if could is None:
        return None
    return len(possible_devices(pod, snapshot, node_name, holdings(snapshot)) or ()), len(could)


def possible_devices(
    pod: Pod, snapshot: Snapshot, node_name: str, held: Holdings | None = None
) -> list[DeviceID] | None:
    """The devices of a node that a pod could get beside `held` ones; None if it needs none there."""
    node, state = snapshot.node(node_name), state_of(pod, snapshot)
    wanted = state.wanted_on(node) if node is not None and state is not None else None
    if wanted is None or not wanted[0]:
        return None
    claims, view = wanted
    objects = objects_of(snapshot)
    matcher = objects.matcher()
    books = Books(view, held.is_allocated if held is not None else lambda _: False)
    left = []
    for place, slot in enumerate(view.slots):
        taken = held.consumed.get(slot.id) if held is not None else None
        counted = slot.device.consumes and not (held is not None and slot.id in held.shared)
        if held is not None and (slot.id in held.exclusive or (counted and not books.has_left(slot))):
            continue
        if _could_have(claims, place, slot, matcher, taken if objects.features.betas else None):
            left.append(slot.id)
    return left


def _could_have(
    claims: tuple[ResourceClaim, ...], place: int, slot: Slot, matcher: Matcher, taken: Mapping[str, Amount] | None
) -> bool:
    number = 0
    for claim, spec in enumerate(one.spec for one in claims):
        for query in spec.queries:
            number += 1
            try:
                enough = not query.admin and has_left(query.capacity, slot.device.capacity, taken, None)
                if enough and matcher.serves(query, number, claim, place, slot):
                    return True
            except (Failed, Unknown):
                continue
    return False
