"""Who holds what: the questions about devices of those that play a rollout or explain a verdict.

A claim that was made for one pod goes with it; a claim that pods name stays while any of them is there, and its devices
bring all of them to the nodes that reach these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.dra.amounts import Amount
from kubelint_gpu.kube.dra.claim import ResourceClaim
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.dra.pod_claims import pod_claims
from kubelint_gpu.kube.dra.request import queries_of
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.consumable_capacity import has_left
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.counters import Books
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_usage import Holdings
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.matching import Matcher
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import Failed, Unknown
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot
from kubelint_gpu.scheduler.plugins.dynamic_resources.attempt_state import AttemptState
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings
from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import pre_filter
from kubelint_gpu.values import NamedTuple


class Hold(NamedTuple):
    """A claim of a pod that has devices.

    Attributes:
        nodes: the names of the nodes that reach them.
        users: the placed pods that use the claim, the pod among them.
    """

    nodes: tuple[str, ...]
    users: tuple[Pod, ...]


class DeviceHolder(NamedTuple):
    """A device that a pod could have on a node if a claim did not have it.

    Attributes:
        device: which one.
        claim: the claim that has it.
        users: the placed pods that use that claim; none where it is reserved for nobody that is there.
    """

    device: DeviceID
    claim: str
    users: tuple[Pod, ...]


def holds(pod: Pod, snapshot: Snapshot) -> tuple[Hold, ...]:
    """What a pod has, placed or not: claims that it names may have devices before."""
    allocations = {**holdings(snapshot).claims, **dict(pod.allocations)}
    found = []
    for key in claim_keys(pod):
        if key in allocations:
            selector = allocations[key].node_selector
            nodes = [one.node for one in snapshot.nodes]
            reached = tuple([one.name for one in nodes if selector is None or selector.matches(one.labels, one.name)])
            found.append(Hold(reached, users_of(key, snapshot)))
    return tuple(found)


def users_of(claim: str, snapshot: Snapshot) -> tuple[Pod, ...]:
    """The placed pods that use a claim."""
    return tuple(snapshot.derived("claim users", _users).get(claim, ()))


def _users(snapshot: Snapshot) -> Mapping[str, Sequence[Pod]]:
    return grouped((key, pod) for node in snapshot.nodes for pod in node.claimants for key in claim_keys(pod))


def blockers(pod: Pod, snapshot: Snapshot, node_name: str) -> tuple[DeviceHolder, ...]:
    """Whose devices a pod could have on a node, in the order in which the scheduler tries them."""
    told: dict[object, dict[str, tuple[DeviceHolder, ...]]] = snapshot.derived("device blockers", lambda _: {})
    key = (pod.identifier, pod.spec.resource_claims, snapshot.memory.load(pod).requests)
    found = told.setdefault(key, {})
    if node_name not in found:
        holders = snapshot.derived("device holders", _holders)
        found[node_name] = tuple(
            DeviceHolder(device, key, users_of(key, snapshot))
            for device in _possible(pod, snapshot, node_name) or ()
            for key in holders.get(device, ())
        )
    return found[node_name]


def _holders(snapshot: Snapshot) -> Mapping[DeviceID, Sequence[str]]:
    """The claims that have each device."""
    claims = holdings(snapshot).claims
    return grouped((one.id, key) for key, found in claims.items() for one in found.devices if not one.admin)


def stock(pod: Pod, snapshot: Snapshot, node_name: str) -> tuple[int, int] | None:
    """How many of the devices that a pod could have on a node are free, and how many there are; None for no claims.

    Where claims share a device, or counters, one is free that has enough left for one of the pod's requests.
    """
    could = _possible(pod, snapshot, node_name)
    if could is None:
        return None
    return len(_possible(pod, snapshot, node_name, holdings(snapshot)) or ()), len(
        could
    )


def _possible(pod: Pod, snapshot: Snapshot, node_name: str, held: Holdings | None = None) -> list[DeviceID] | None:
    """The devices of a node that a pod could have beside what is held; None where it needs none there."""
    node, found = snapshot.node(node_name), pre_filter(pod, snapshot)
    wanted = found.state.wanted_on(node) if node is not None and isinstance(found.state, AttemptState) else None
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
        for query in queries_of(spec):
            number += 1
            try:
                enough = not query.admin and has_left(query.capacity, slot.device.capacity, taken, None)
                if enough and matcher.serves(query, number, claim, place, slot):
                    return True
            except (Failed, Unknown):
                continue
    return False


def claim_keys(pod: Pod) -> dict[str, None]:
    """The keys of a pod's claims, in the order of its spec, and of those that were made when it was placed."""
    keys: dict[str, None] = {}
    for entry in pod_claims(pod):
        name = entry.claim if entry.claim is not None else pod.claim_statuses.get(entry.name)
        if name is not None:
            keys[f"{pod.meta.namespace}/{name}"] = None
    return keys | dict.fromkeys(key for key, _ in pod.allocations)
