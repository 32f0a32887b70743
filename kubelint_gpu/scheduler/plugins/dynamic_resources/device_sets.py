"""Devices that only count: claims for which any device of a set is as good as any other one of it.

Then which devices a pod has decides nothing, only how many are left on a node: as with an extended resource.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kubelint_gpu.kube.dra.claim import Allocation
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.dra.device_class import IMPLICIT_RESOURCE
from kubelint_gpu.kube.dra.pod_claims import pod_claims
from kubelint_gpu.kube.dra.request import EXACT_COUNT, ClaimSpec, DeviceQuery
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.matching import Matcher
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import MOST_DEVICES, Failed, Unknown
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import Objects, objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import features_of


class DeviceSets(NamedTuple):
    """Sets of devices, each with a name as of a resource.

    Attributes:
        on_nodes: how many devices of each set each node has.
        asked: how many devices of each set the pods ask for, pod by pod.
        members: the set of each device.
    """

    on_nodes: Mapping[str, Mapping[str, int]]
    asked: tuple[Mapping[str, int], ...]
    members: Mapping[DeviceID, str]

    def held(self, allocations: Iterable[Allocation]) -> dict[str, int]:
        """How many devices of each set some claims have."""
        found: dict[str, int] = {}
        for allocation in allocations:
            for device in allocation.devices:
                name = self.members.get(device.id)
                if name is not None and not device.admin:
                    found[name] = found.get(name, 0) + 1
        return found


def device_sets(pods: Sequence[Pod], snapshot: Snapshot) -> DeviceSets | None:
    """The sets of devices among which the claims of some pods choose; None where devices do more than count.

    All devices have to be those of one node each, which one claim at a time can have, and no two requests choose among
    sets that have only a part in common.
    """
    features = features_of(snapshot.behaviour)
    objects = objects_of(snapshot, features)
    asked = [_queries(pod, objects) for pod in pods]
    slots = _slots(snapshot, objects)
    if slots is None or any(queries is None for queries in asked):
        return None
    if features.extended and any(_may_be_served(pod, objects) for pod in pods):
        return None
    matcher = Matcher(objects.classes, shareable=features.shares)
    chosen: dict[DeviceQuery, frozenset[int]] = {}
    for query in [query for queries in asked for query in queries or ()]:
        if query not in chosen:
            try:
                places = [
                    place
                    for place, (_, slot) in enumerate(slots)
                    if matcher.selects(query, len(chosen), 0, place, slot)
                ]
            except (Failed, Unknown):
                return None
            chosen[query] = frozenset(places)
    distinct = list(dict.fromkeys(chosen.values()))
    if any(one & other for place, one in enumerate(distinct) for other in distinct[:place]):
        return None
    names = {found: f"devices/{number}" for number, found in enumerate(distinct)}
    on_nodes: dict[str, dict[str, int]] = {info.name: dict.fromkeys(names.values(), 0) for info in snapshot.nodes}
    members: dict[DeviceID, str] = {}
    for found, name in names.items():
        for place in found:
            node, slot = slots[place]
            on_nodes[node][name] += 1
            members[slot.id] = name
    amounts = []
    for queries in asked:
        mine: dict[str, int] = {}
        for query in queries or ():
            name = names[chosen[query]]
            mine[name] = mine.get(name, 0) + query.count
        amounts.append(mine)
    return DeviceSets(on_nodes, tuple(amounts), members)


def _queries(pod: Pod, objects: Objects) -> list[DeviceQuery] | None:
    """What the claims that are made for a pod ask for; None where it is more than numbers of devices."""
    found: list[DeviceQuery] = []
    for one in pod_claims(pod):
        template = objects.templates.get(f"{pod.meta.namespace}/{one.template}") if one.template is not None else None
        if template is None or template.spec.constraints or not _is_plain(template.spec, objects):
            return None
        found += [request.exactly for request in template.spec.requests if request.exactly is not None]
    return found


def _is_plain(spec: ClaimSpec, objects: Objects) -> bool:
    queries = [request.exactly for request in spec.requests]
    return sum(query.count for query in queries if query is not None) <= MOST_DEVICES and all(
        query is not None
        and query.mode == EXACT_COUNT
        and not query.admin
        and not query.capacity
        and query.device_class in objects.classes
        for query in queries
    )


def _slots(snapshot: Snapshot, objects: Objects) -> list[tuple[str, Slot]] | None:
    """Every device with its node; None where some are of no one node, or are not free for whoever asks first."""
    found: list[tuple[str, Slot]] = []
    seen: set[DeviceID] = set()
    for info in snapshot.nodes:
        view = objects.slices.view(info.node)
        if view.elsewhere or any(pool.invalid or pool.incomplete or pool.counters for pool in view.pools):
            return None
        for slot in view.slots:
            device = slot.device
            if slot.origin.node_name != info.name or slot.id in seen or device.shareable or device.consumes:
                return None
            if device.binding_conditions or any(taint.blocks for taint in device.taints):
                return None
            seen.add(slot.id)
            found.append((info.name, slot))
    return found


def _may_be_served(pod: Pod, objects: Objects) -> bool:
    return any(name in objects.by_resource or name.startswith(IMPLICIT_RESOURCE) for name in pod_requests(pod.spec))
