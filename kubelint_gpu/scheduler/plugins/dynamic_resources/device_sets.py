"""Devices that only count: claims for which any device of a set is as good as any other one of it.

Then which devices a pod has decides nothing, only how many are left on a node: as with an extended resource.
Where all claims to a set want the same number of devices with attributes in common, they take such groups of devices,
of which each node has so many.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.dra.api_limits import MOST_CONSUMERS, MOST_DEVICES
from kubelint_gpu.kube.dra.claim import Allocation
from kubelint_gpu.kube.dra.device import Attribute, DeviceID, attribute_of
from kubelint_gpu.kube.dra.device_class import IMPLICIT_RESOURCE
from kubelint_gpu.kube.dra.pod_claims import pod_claims
from kubelint_gpu.kube.dra.request import EXACT_COUNT, ClaimSpec, DeviceQuery
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.constraints import SINGLE
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.counters import Books
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.matching import Matcher
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import Failed, Unknown
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import Objects, objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import features_of


class DeviceSets(NamedTuple):
    """Sets of devices, each with a name as of a resource.

    Attributes:
        on_nodes: how many devices, or groups of them, of each set each node has.
        asked: how many of each set the pods ask for, pod by pod.
        members: the set of each device, and what it has in common with others; None where it is in no group.
        sizes: how many devices are a group of each set; 1 where they count one by one.
        shared: by key, the name of each claim that several pods use, as of a resource of the node of its devices: as
            much of it as there may be users.
    """

    on_nodes: Mapping[str, Mapping[str, int]]
    asked: tuple[Mapping[str, int], ...]
    members: Mapping[DeviceID, tuple[str, object]]
    sizes: Mapping[str, int]
    shared: Mapping[str, str]

    def held(self, allocations: Iterable[tuple[str, Allocation]]) -> dict[str, int] | None:
        """How many of each set some claims have; None where one has a device that a shared claim may need, or others
        than those of a group.
        """
        found: dict[str, int] = {}
        for key, allocation in allocations:
            if key in self.shared:
                found[self.shared[key]] = 1
                continue
            of_sets: dict[str, list[object]] = {}
            for device in allocation.devices:
                if device.id in self.members and not device.admin:
                    name, alike = self.members[device.id]
                    of_sets.setdefault(name, []).append(alike)
            for name, places in of_sets.items():
                size = self.sizes.get(name, 1)
                if name in self.shared.values() or (size > 1 and (len(places) != size or len({*places}) > 1)):
                    return None
                found[name] = found.get(name, 0) + len(places) // size
        return found


class _Ask(NamedTuple):
    """Devices that a claim wants, of one request or of several: so many, that have some attributes in common."""

    queries: tuple[DeviceQuery, ...]
    number: int
    alike: tuple[str, ...] = ()


def device_sets(pods: Sequence[Pod], snapshot: Snapshot, taken: Container[DeviceID] = ()) -> DeviceSets | None:
    """The sets of devices among which the claims of some pods choose; None where devices do more than count.

    All devices have to be those of one node each, which one claim at a time can have, and no two requests choose among
    sets that have only a part in common. Nobody else may choose among the devices of a claim that pods share, and these
    are all on one node: then it has them whenever a pod uses it. Counters have to be enough for all devices of the sets
    beside those that are `taken`.
    """
    features = features_of(snapshot.behaviour)
    objects = objects_of(snapshot, features)
    shared = _shared(pods, objects)
    asked = [_queries(pod, objects) for pod in pods]
    slots = _slots(snapshot, objects)
    if slots is None or shared is None or any(queries is None for queries in asked):
        return None
    if features.extended and any(_may_be_served(pod, objects) for pod in pods):
        return None
    matcher = Matcher(objects.classes, shareable=features.shares)
    chosen: dict[DeviceQuery, frozenset[int]] = {}
    wanting = [ask for asks in (*asked, *shared.values()) for ask in asks or ()]
    for query in [query for ask in wanting for query in ask.queries]:
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
    if not _count_for_all(snapshot, objects, taken, frozenset(slots[place][1].id for one in distinct for place in one)):
        return None
    freed = {ask: _freed(ask, chosen, slots) for ask in dict.fromkeys(ask for asks in asked for ask in asks or ())}
    counted = [[freed[ask] for ask in asks or ()] for asks in asked]
    if any(one & other for place, one in enumerate(distinct) for other in distinct[:place]):
        return None
    ways: dict[frozenset[int], set[tuple[int, tuple[str, ...]]]] = {}
    for ask in [ask for asks in counted for ask in asks]:
        among = {chosen[query] for query in ask.queries}
        if len(among) != 1:
            return None
        ways.setdefault(among.pop(), set()).add((ask.number, ask.alike) if ask.alike else (1, ()))
    if any(len(one) != 1 for one in ways.values()):
        return None
    own = {found: next(iter(one)) for found, one in ways.items()}
    claims = {key: f"claims/{key}" for key in shared}
    names = {found: f"devices/{number}" for number, found in enumerate(distinct) if found in own}
    of_claims: dict[frozenset[int], str] = {}
    homes: dict[str, str] = {}
    for key, wanted in shared.items():
        sets = [chosen[ask.queries[0]] for ask in wanted]
        nodes = {slots[place][0] for found in sets for place in found}
        many = all(sum(ask.number for ask in wanted if chosen[ask.queries[0]] == found) <= len(found) for found in sets)
        if len(nodes) != 1 or not many or any(found in own or found in of_claims for found in sets):
            return None
        of_claims.update(dict.fromkeys(sets, claims[key]))
        homes[claims[key]] = nodes.pop()
    on_nodes: dict[str, dict[str, int]] = {info.name: dict.fromkeys(names.values(), 0) for info in snapshot.nodes}
    members: dict[DeviceID, tuple[str, object]] = {}
    sizes = {name: own[found][0] for found, name in names.items()}
    for found, name in names.items():
        size, alike = own[found]
        groups: dict[tuple[str, object], int] = {}
        for place in found:
            node, slot = slots[place]
            common = _common(slot, alike)
            if common is not None and any(one.kind not in SINGLE for one in common):
                return None
            members[slot.id] = name, common
            if common is not None:
                groups[node, common] = groups.get((node, common), 0) + 1
        for (node, _), count in groups.items():
            on_nodes[node][name] += count // size
    members.update({slots[place][1].id: (name, None) for found, name in of_claims.items() for place in found})
    for name, home in homes.items():
        for node, has in on_nodes.items():
            has[name] = MOST_CONSUMERS if node == home else 0
    amounts = []
    for pod, asks in zip(pods, counted, strict=True):
        mine = {claims[key]: 1 for key in _named(pod)}
        for ask in asks:
            name = names[chosen[ask.queries[0]]]
            mine[name] = mine.get(name, 0) + (1 if ask.alike else ask.number)
        amounts.append(mine)
    return DeviceSets(on_nodes, tuple(amounts), members, sizes, claims)


def _freed(ask: _Ask, chosen: Mapping[DeviceQuery, frozenset[int]], slots: Sequence[tuple[str, Slot]]) -> _Ask:
    """Without the attributes to have in common, where all devices of a node that it may have do."""
    if not ask.alike or len({chosen[query] for query in ask.queries}) != 1:
        return ask
    had = [slots[place] for place in chosen[ask.queries[0]]]
    of_nodes = grouped((node, _common(slot, ask.alike)) for node, slot in had)
    alike = all(
        found[0] is not None and {*found} == {found[0]} and all(one.kind in SINGLE for one in found[0])
        for found in of_nodes.values()
    )
    return ask._replace(alike=()) if alike else ask


def _count_for_all(
    snapshot: Snapshot, objects: Objects, taken: Container[DeviceID], wanted: Container[DeviceID]
) -> bool:
    """Whether counters are enough for all devices that are wanted and taken: then they refuse none of them."""
    for view in (objects.slices.view(info.node) for info in snapshot.nodes):
        if any(pool.counters for pool in view.pools):
            books = Books(view, lambda _: False)
            if not all(books.take(slot) for slot in view.slots if slot.id in wanted or slot.id in taken):
                return False
    return True


def _common(slot: Slot, names: Sequence[str]) -> tuple[Attribute, ...] | None:
    """The attributes that a device shall have in common with others; None where it lacks one."""
    found = [attribute_of(slot.device, slot.id.driver, name) for name in names]
    return tuple(one for one in found if one is not None) if None not in found else None


def _named(pod: Pod) -> list[str]:
    """The keys of the claims that a pod names."""
    return [f"{pod.meta.namespace}/{one.claim}" for one in pod_claims(pod) if one.claim is not None]


def _shared(pods: Sequence[Pod], objects: Objects) -> dict[str, list[_Ask]] | None:
    """What the claims that pods name ask for; None where one is not there, or asks for more than numbers of devices."""
    found: dict[str, list[_Ask]] = {}
    for key in [key for pod in pods for key in _named(pod)]:
        claim = objects.claims.get(key)
        if claim is None or claim.meta.terminating or claim.spec.constraints or not _is_plain(claim.spec, objects):
            return None
        found[key] = _asks(claim.spec)
    return found


def _queries(pod: Pod, objects: Objects) -> list[_Ask] | None:
    """What the claims that are made for a pod ask for; None where it is more than numbers of devices."""
    found: list[_Ask] = []
    for one in pod_claims(pod):
        if one.claim is not None:
            continue
        template = objects.templates.get(f"{pod.meta.namespace}/{one.template}") if one.template is not None else None
        if template is None or not _is_plain(template.spec, objects):
            return None
        names = {request.name for request in template.spec.requests}
        constraints = template.spec.constraints
        if not all(each.match and (not each.requests or names <= {*each.requests}) for each in constraints):
            return None
        found += _asks(template.spec)
    return found


def _asks(spec: ClaimSpec) -> list[_Ask]:
    queries = tuple(request.exactly for request in spec.requests if request.exactly is not None)
    alike = tuple(sorted({one.match for one in spec.constraints}))
    if alike:
        return [_Ask(queries, sum(query.count for query in queries), alike)] if queries else []
    return [_Ask((query,), query.count) for query in queries]


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
        if view.elsewhere or any(pool.invalid or pool.incomplete for pool in view.pools):
            return None
        for slot in view.slots:
            device = slot.device
            if slot.origin.node_name != info.name or slot.id in seen or device.shareable:
                return None
            if device.binding_conditions or any(taint.blocks for taint in device.taints):
                return None
            seen.add(slot.id)
            found.append((info.name, slot))
    return found


def _may_be_served(pod: Pod, objects: Objects) -> bool:
    return any(name in objects.by_resource or name.startswith(IMPLICIT_RESOURCE) for name in pod_requests(pod.spec))
