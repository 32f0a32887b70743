"""Bounds on devices: how many a pod's claims can get, and how many others must hold so that the claims find too few."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from sys import maxsize

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.dra.claim import ClaimSpec, ResourceClaim, most_devices
from kubelint_gpu.kube.dra.device import Attribute, DeviceID, attribute_of
from kubelint_gpu.kube.dra.device_class import is_charged_for_claims
from kubelint_gpu.kube.dra.pod_claims import pod_claims
from kubelint_gpu.kube.dra.resource_api import MOST_CONSUMERS
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.claim_requests import SINGLE
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_usage import parts_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot, View
from kubelint_gpu.scheduler.plugins.dynamic_resources.attempt_state import AttemptState
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import claim_keys, holdings, users_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.node_likeness import keeps_to_nodes
from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import state_of
from kubelint_gpu.values import Value, replace


class DeviceSupply(Value):
    """Devices of which each pod takes `each`, and no others: the free devices by node; `number` identifies the set."""

    number: int
    each: int
    free: Mapping[str, int]


class DeviceRoom(Value):
    """Bounds on the devices of a pod.

    Attributes:
        most: the most devices that its claims take.
        prices: by node, how many devices others must hold at least so that the pod finds too few.
        alike: whether it takes one group of devices, all groups are equal, and stay so.
        parts: the key of the physical device of each device; devices with equal keys count once.
        supply: what it takes and what is free, if the number of its devices is known.
        pinned: whether all pods that share its claim go to one of several nodes: the one that allocates the claim.
    """

    most: int = 0
    prices: Mapping[str, int] = EMPTY
    alike: bool = True
    parts: Mapping[DeviceID, Hashable] = EMPTY
    supply: DeviceSupply | None = None
    pinned: bool = False

    def serves(self, pods: int) -> bool:
        """Whether it is known which nodes have devices for a claim that so many pods share."""
        return bool(self.prices) and not (self.pinned and pods > MOST_CONSUMERS)


def device_rooms(pods: Sequence[Pod], rest: Sequence[Pod], cluster: Cluster, most: int) -> dict[int, DeviceRoom]:
    """Return bounds on the devices of each pod with claims, by its index, beside `rest`, the other running pods.

    At rest at most `most` pods have claims. Empty if devices can be short in another way than by number: each device
    must belong to one node and be allocated to one claim at a time. A claim that pods share must be the only one for
    its devices: then it gets the devices of some node whenever a pod uses it.
    """
    snapshot = Snapshot.of(replace(cluster, pods=tuple(rest)))
    asking = {number: pod for number, pod in enumerate(pods) if pod.spec.resource_claims}
    if not asking or _is_uncertain(pods, snapshot, cluster):
        return {}
    found: dict[tuple[str, object], DeviceChoice] = {}
    chosen: dict[object, set[DeviceID]] = {}
    kept: set[object] = set()
    amounts: set[object] = set()
    for pod in asking.values():
        key, named = (pod.meta.namespace, pod.spec.resource_claims), [one.claim for one in pod_claims(pod) if one.claim]
        if key in found:
            continue
        state = state_of(pod, snapshot)
        if state is None or 0 < len(named) < len(pod.spec.resource_claims):
            return {}
        amounts.update(query.capacity for claim in state.claims for query in claim.spec.queries)
        found[key] = DeviceChoice(snapshot, state, shared=bool(named))
        chosen[frozenset(named) or key] = found[key].devices
        room = found[key].room({}, {}) if named else None
        if room is not None and not room.serves(most):
            return {}
        kept |= {frozenset(named)} if named else set()
    if any(chosen[one] & devices for one in kept for other, devices in chosen.items() if other != one):
        return {}
    slices, wanted = objects_of(snapshot).slices, set().union(*chosen.values(), holdings(snapshot).exclusive)
    shares = not kept and _takes_alike(amounts, rest, cluster)
    parts = parts_of((slices.view(info.node) for info in snapshot.nodes), wanted, shares=shares)
    if parts is None:
        return {}
    numbers: dict[Hashable, int] = {}
    rooms = {key: one.room(parts, numbers) for key, one in found.items()}
    return {number: rooms[pod.meta.namespace, pod.spec.resource_claims] for number, pod in asking.items()}


def _takes_alike(amounts: set[object], rest: Sequence[Pod], cluster: Cluster) -> bool:
    """Whether all claims that are or will be allocated to pods that can move ask for one and the same capacity."""
    fixed = {*rest}
    keys = {key for pod in cluster.pods if pod not in fixed for key, _ in pod.allocations}
    moving = [claim for claim in cluster.resource_claims if claim.key in keys]
    asked = amounts.union(query.capacity for claim in moving for query in claim.spec.queries)
    return len(asked) == 1 and len(moving) == len(keys)


def _is_uncertain(pods: Sequence[Pod], snapshot: Snapshot, cluster: Cluster) -> bool:
    """Whether other pods may get devices, quotas count claims, or devices cannot simply be counted."""
    waiting = any(pod.spec.resource_claims and not pod.spec.node_name and not pod.finished for pod in cluster.pods)
    served = objects_of(snapshot).by_resource
    if waiting or any(is_charged_for_claims(key, served) for quota in cluster.quotas for key in quota.hard):
        return True
    standing = [pod for info in snapshot.nodes for pod in info.claimants]
    able = [pod.spec.priority or 0 for pod in pods if pod.spec.preemption_policy != "Never"]
    if standing and max(able, default=0) > min(pod.spec.priority or 0 for pod in standing):
        return True
    known = holdings(snapshot).claims.keys()
    if any(not pod.allocations and not known >= claim_keys(pod).keys() for pod in standing):
        return True
    return not all(keeps_to_nodes(pod, cluster, shared=True) for pod in pods)


class DeviceChoice:
    """Computes bounds on the devices of one pod; `devices` are those that it can get."""

    def __init__(self, snapshot: Snapshot, state: AttemptState, *, shared: bool) -> None:
        self._objects = objects_of(snapshot)
        self._held = holdings(snapshot)
        self._snapshot, self._state, self._shared = snapshot, state, shared
        self._chosen: dict[Hashable, Sequence[set[int]]] = {}
        self.devices = {one.id for found in state.allocations.values() for one in found.devices}
        wanted = ((info, state.key(info), state.wanted_on(info)) for info in snapshot.nodes)
        self._wanted = [(info, key, *found) for info, key, found in wanted if found is not None]
        for _, key, claims, view in self._wanted:
            if key not in self._chosen:
                self._chosen[key] = self._choices(claims, view)
            self.devices.update([view.slots[place].id for place in set().union(*self._chosen[key])])

    def room(self, parts: Mapping[DeviceID, Hashable], numbers: dict[Hashable, int]) -> DeviceRoom:
        """The bounds, with exclusive devices grouped by `parts`; shared claims get their devices, or have them.

        Equal sets of devices have equal `numbers`.
        """
        if self._shared:
            free = [info.name for info in self._snapshot.nodes if self._state.status(info) is None]
            if len(free) != 1:
                return DeviceRoom(0, dict.fromkeys(free, maxsize), alike=False, parts=parts, pinned=bool(free))
            # each pod takes one of the places of its claims
            shared = frozenset([claim.key for claim in self._state.claims])
            seats = {free[0]: MOST_CONSUMERS - max(len(users_of(key, self._snapshot)) for key in shared)}
            number = numbers.setdefault(shared, len(numbers))
            return DeviceRoom(
                1, seats, parts=dict.fromkeys(self.devices, number), supply=DeviceSupply(number, 1, seats)
            )
        prices: dict[str, int] = {}
        known: dict[Hashable, tuple[int, int, bool]] = {}
        for info, key, claims, view in self._wanted:
            if key not in known:
                known[key] = self._looked_at(info, claims, self._chosen[key], view, parts)
            prices[info.name] = known[key][1]
        most = max((most for most, _, _ in known.values()), default=0)
        alike = all(alike for _, _, alike in known.values())
        if not alike or len({most for most, price, _ in known.values() if price}) != 1:
            return DeviceRoom(most, prices, alike, parts)
        number = numbers.setdefault(frozenset(self.devices), len(numbers))
        return DeviceRoom(most, prices, alike, parts, DeviceSupply(number, most, self._free()))

    def _free(self) -> Mapping[str, int]:
        """Return how many of its possible devices are free, by node."""
        free = self.devices - self._held.exclusive
        return {info.name: sum(slot.id in free for slot in view.slots) for info, _, _, view in self._wanted}

    def _choices(self, claims: Sequence[ResourceClaim], view: View) -> Sequence[set[int]]:
        """For each request, the positions of the devices of a node that it can get."""
        matcher = self._objects.matcher()
        return [
            {place for place, slot in enumerate(view.slots) if matcher.serves(query, number, 0, place, slot)}
            for number, query in enumerate(query for claim in claims for query in claim.spec.queries)
        ]

    def _looked_at(
        self,
        info: NodeInfo,
        claims: Sequence[ResourceClaim],
        chosen: Sequence[set[int]],
        view: View,
        parts: Mapping[DeviceID, Hashable],
    ) -> tuple[int, int, bool]:
        """The most devices that the claims take on a node, the price, and whether its devices are equal."""
        slots = [view.slots[place] for place in sorted(set().union(*chosen))]
        most = sum(min(most_devices(one.spec), _widest(one.spec, slots, parts)) for one in claims)
        price = None if parts or len(claims) != 1 else self._of_groups(claims[0].spec, chosen, view)
        if price is not None:
            return most, price, True
        compared = any(one.distinct for claim in claims for one in claim.spec.constraints)
        return most, 0 if compared else self._state.ways_apart(info, parts), False

    def _of_groups(self, spec: ClaimSpec, chosen: Sequence[set[int]], view: View) -> int | None:
        """How many devices must be gone before no group of a node is large enough; None if it takes several groups."""
        if not _is_of_one_kind(spec) or not chosen or any(one != chosen[0] for one in chosen):
            return None
        slots = [view.slots[place] for place in sorted(chosen[0])]
        if any(slot.device.shareable for slot in slots):
            return None

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


def _is_of_one_kind(spec: ClaimSpec) -> bool:
    """Whether a claim has no alternatives, is not for administration, and has only constraints on all its devices."""
    if any(request.first_available for request in spec.requests) or any(query.admin for query in spec.queries):
        return False
    names = {request.name for request in spec.requests}
    return all(not one.requests or names <= {*one.requests} for one in spec.constraints)


def _widest(spec: ClaimSpec, slots: Sequence[Slot], parts: Mapping[DeviceID, Hashable]) -> int:
    """An upper bound of the devices that a constraint allows in one claim, with `parts` of one device counted once."""
    names, fewest = {request.name for request in spec.requests}, len(slots)
    for one in spec.constraints:
        found = [(attribute_of(slot.device, slot.id.driver, one.match), slot.id) for slot in slots if one.match]
        kinds = {value.kind for value, _ in found if value is not None}
        if found and (not one.requests or names <= {*one.requests}) and kinds <= {*SINGLE}:
            groups = grouped((value, parts.get(device, device)) for value, device in found if value is not None)
            fewest = min(fewest, max((len({*group}) for group in groups.values()), default=0))
    return fewest
