"""Which devices of a node the claims of a pod could get."""

from __future__ import annotations

from collections.abc import Mapping

from kubelint_gpu.kube.dra.claim import ResourceClaim
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.consumable_capacity import has_left
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.counters import Books
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_usage import Holdings
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.matching import Matcher
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import Failed, Unknown
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import state_of


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
