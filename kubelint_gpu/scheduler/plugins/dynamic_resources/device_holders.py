"""Who holds what: the questions about devices of those that play a rollout or explain a verdict.

A claim that was made for one pod goes with it; a claim that pods name stays while any of them is there, and its devices
bring all of them to the nodes that reach these.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from kubelint_gpu.kube.dra.claim import AllocatedDevice, ResourceClaim
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.dra.pod_claims import pod_claims
from kubelint_gpu.kube.dra.request import queries_of
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.matching import Matcher
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import Failed, Unknown
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot
from kubelint_gpu.scheduler.plugins.dynamic_resources.attempt_state import AttemptState
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import Objects, objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import features_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings
from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import pre_filter


class Hold(NamedTuple):
    """A claim of a pod that has devices.

    Attributes:
        claim: its key.
        devices: what it has; those for administration keep nobody away.
        nodes: the names of the nodes that reach them.
        users: the placed pods that use the claim, the pod among them.
        own: whether the claim was made for the pod, so that the devices are free when it ends.
    """

    claim: str
    devices: tuple[AllocatedDevice, ...]
    nodes: tuple[str, ...]
    users: tuple[Pod, ...]
    own: bool


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
    objects = objects_of(snapshot, features_of(snapshot.behaviour))
    allocations = {**holdings(snapshot, features_of(snapshot.behaviour)).claims, **dict(pod.allocations)}
    named = {f"{pod.meta.namespace}/{entry.claim}" for entry in pod_claims(pod) if entry.claim is not None}
    found = []
    for key in _keys(pod):
        allocation = allocations.get(key)
        if allocation is None:
            continue
        selector = allocation.node_selector
        nodes = tuple(
            node.name for node in snapshot.nodes if selector is None or selector.matches(node.node.labels, node.name)
        )
        own = key not in named and _is_own(objects.claims.get(key), pod)
        found.append(Hold(key, allocation.devices, nodes, users_of(key, snapshot), own))
    return tuple(found)


def users_of(claim: str, snapshot: Snapshot) -> tuple[Pod, ...]:
    """The placed pods that use a claim."""
    return tuple(pod for node in snapshot.nodes for pod in node.claimants if claim in _keys(pod))


def likeness(pod: Pod, snapshot: Snapshot) -> Hashable:
    """Equal for pods whose claims get equal devices: of one template, or of the same claim; None without claims."""
    objects = objects_of(snapshot, features_of(snapshot.behaviour))
    found = tuple(_asked(pod, entry.claim, entry.template, objects) for entry in pod_claims(pod))
    return found or None


def blockers(pod: Pod, snapshot: Snapshot, node_name: str) -> tuple[DeviceHolder, ...]:
    """Whose devices a pod could have on a node, in the order in which the scheduler tries them."""
    node = snapshot.node(node_name)
    found = pre_filter(pod, snapshot)
    if node is None or not isinstance(found.state, AttemptState):
        return ()
    features = features_of(snapshot.behaviour)
    holders: dict[DeviceID, list[str]] = {}
    for key, allocation in holdings(snapshot, features).claims.items():
        for device in allocation.devices:
            if not device.admin:
                holders.setdefault(device.id, []).append(key)
    wanted = found.state.wanted_on(node)
    if wanted is None:
        return ()
    claims, view = wanted
    matcher = Matcher(objects_of(snapshot, features).classes, shareable=features.shares)
    return tuple(
        DeviceHolder(slot.id, key, users_of(key, snapshot))
        for place, slot in enumerate(view.slots)
        if slot.id in holders and _could_have(claims, place, slot, matcher)
        for key in holders[slot.id]
    )


def stock(pod: Pod, snapshot: Snapshot, node_name: str) -> tuple[int, int] | None:
    """How many of the devices that a pod could have on a node are free, and how many there are; None for no claims."""
    node, found = snapshot.node(node_name), pre_filter(pod, snapshot)
    wanted = found.state.wanted_on(node) if node is not None and isinstance(found.state, AttemptState) else None
    if wanted is None or not wanted[0]:
        return None
    claims, view = wanted
    features = features_of(snapshot.behaviour)
    held = holdings(snapshot, features)
    matcher = Matcher(objects_of(snapshot, features).classes, shareable=features.shares)
    could = [slot for place, slot in enumerate(view.slots) if _could_have(claims, place, slot, matcher)]
    return sum(slot.id not in held.exclusive for slot in could), len(could)


def _could_have(claims: tuple[ResourceClaim, ...], place: int, slot: Slot, matcher: Matcher) -> bool:
    number = 0
    for claim, spec in enumerate(one.spec for one in claims):
        for query in queries_of(spec):
            number += 1
            blocked = any(
                taint.blocks and not any(one.tolerates(taint) for one in query.tolerations)
                for taint in slot.device.taints
            )
            try:
                if not query.admin and not blocked and matcher.selects(query, number, claim, place, slot):
                    return True
            except (Failed, Unknown):
                continue
    return False


def _keys(pod: Pod) -> dict[str, None]:
    """The keys of a pod's claims, in the order of its spec, and of those that were made when it was placed."""
    keys: dict[str, None] = {}
    for entry in pod_claims(pod):
        name = entry.claim if entry.claim is not None else pod.claim_statuses.get(entry.name)
        if name is not None:
            keys[f"{pod.meta.namespace}/{name}"] = None
    return keys | dict.fromkeys(key for key, _ in pod.allocations)


def _is_own(claim: ResourceClaim | None, pod: Pod) -> bool:
    owner = claim.meta.owner if claim is not None else None
    return claim is None or (owner is not None and owner.name == pod.meta.name)


def _asked(pod: Pod, claim: str | None, template: str | None, objects: Objects) -> Hashable:
    if claim is not None:
        return "claim", f"{pod.meta.namespace}/{claim}"
    found = objects.templates.get(f"{pod.meta.namespace}/{template}")
    return "template", found.spec if found is not None else template
