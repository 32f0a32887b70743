"""How many devices others have to hold on a node so that the claims of a pod find too few: what bounds count with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import maxsize

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.dra.claim import ResourceClaim
from kubelint_gpu.kube.dra.claim_charge import is_charged_for_claims
from kubelint_gpu.kube.dra.device import Attribute, DeviceID, attribute_of
from kubelint_gpu.kube.dra.pod_claims import pod_claims
from kubelint_gpu.kube.dra.request import ClaimSpec, most_devices, queries_of
from kubelint_gpu.kube.dra.resource_api import MOST_CONSUMERS
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.constraints import SINGLE
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.counters import Books
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.matching import Matcher
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import View
from kubelint_gpu.scheduler.plugins.dynamic_resources.attempt_state import AttemptState
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.device_holders import claim_keys
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import features_of, served_by_classes
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings
from kubelint_gpu.scheduler.plugins.dynamic_resources.node_likeness import keeps_to_nodes
from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import pre_filter
from kubelint_gpu.values import NamedTuple, replace


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


def device_rooms(pods: Sequence[Pod], rest: Sequence[Pod], cluster: Cluster, most: int) -> dict[int, DeviceRoom]:
    """The same for each of some pods that has claims, by its number, beside the `rest` of the running pods.

    At rest no more than `most` pods have claims. Nothing where devices can be lacking in another way than by their
    number: all have to be those of one node each, and one claim at a time has one. Nobody else may choose among the
    devices of a claim that pods share, and these are all on one node: then it has them whenever a pod uses it.
    """
    snapshot = Snapshot.of(replace(cluster, pods=tuple(rest)))
    asking = {number: pod for number, pod in enumerate(pods) if pod.spec.resource_claims}
    if not asking or _is_uncertain(pods, snapshot, cluster):
        return {}
    found: dict[tuple[str, object], DeviceRoom] = {}
    chosen: dict[object, set[DeviceID]] = {}
    kept: set[object] = set()
    for pod in asking.values():
        key, named = (pod.meta.namespace, pod.spec.resource_claims), [one.claim for one in pod_claims(pod) if one.claim]
        state = pre_filter(pod, snapshot).state
        if not isinstance(state, AttemptState) or 0 < len(named) < len(pod.spec.resource_claims):
            return {}
        if key not in found:
            by = _Choice(snapshot, state)
            found[key] = by.shared() if named else by.own()
            chosen[frozenset(named) or key] = by.devices
            if named and (len(found[key].prices) != 1 or most > MOST_CONSUMERS):
                return {}
            kept |= {frozenset(named)} if named else set()
    if any(chosen[one] & devices for one in kept for other, devices in chosen.items() if other != one):
        return {}
    if not _count_for_all(snapshot, set().union(*chosen.values())):
        return {}
    return {number: found[pod.meta.namespace, pod.spec.resource_claims] for number, pod in asking.items()}


def _is_uncertain(pods: Sequence[Pod], snapshot: Snapshot, cluster: Cluster) -> bool:
    """Whether pods beside these may come to have devices, quotas count claims, or devices are no mere numbers."""
    waiting = any(pod.spec.resource_claims and not pod.spec.node_name and not pod.finished for pod in cluster.pods)
    served = served_by_classes(cluster)
    if waiting or any(is_charged_for_claims(key, served) for quota in cluster.quotas for key in quota.hard):
        return True
    standing = [pod for info in snapshot.nodes for pod in info.claimants]
    able = [pod.spec.priority or 0 for pod in pods if pod.spec.preemption_policy != "Never"]
    if standing and max(able, default=0) > min(pod.spec.priority or 0 for pod in standing):
        return True
    known = holdings(snapshot, features_of(snapshot.behaviour)).claims.keys()
    if any(not pod.allocations and not known >= claim_keys(pod).keys() for pod in standing):
        return True
    return not all(keeps_to_nodes(pod, cluster, shared=True) for pod in pods)


def _count_for_all(snapshot: Snapshot, chosen: set[DeviceID]) -> bool:
    """Whether nobody shares a device, and counters are enough for all that are chosen and taken."""
    features = features_of(snapshot.behaviour)
    slices, wanted = objects_of(snapshot, features).slices, chosen | holdings(snapshot, features).exclusive
    for view in (slices.view(info.node) for info in snapshot.nodes):
        books, counted = Books(view, lambda _: False), any(pool.counters for pool in view.pools)
        slots = [slot for slot in view.slots if slot.id in wanted]
        if any(slot.device.shareable for slot in slots) or (counted and not all(map(books.take, slots))):
            return False
    return True


class _Choice:
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
