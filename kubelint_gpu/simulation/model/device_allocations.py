"""How claims of pods in play are allocated and deallocated while pods come and go.

A generated claim is gone with its pod. A claim that pods name keeps its devices while any of them is bound. When no pod
uses it any more it is deallocated, unless a pod is bound before.
Behaviour: the plugin DynamicResources and the resource claim controller, 1.34.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence

from kubelint_gpu.groups import summed
from kubelint_gpu.kube.dra.claim import EXTENDED_ENTRY, Allocation, ResourceClaimTemplate
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.dra.device_class import DeviceClass, claim_charge, is_charged_for_claims
from kubelint_gpu.kube.dra.pod_claims import pod_claims
from kubelint_gpu.kube.dra.resource_api import MOST_CONSUMERS
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import CLAIMS, Excess, QuotaRefusal, ResourceQuota
from kubelint_gpu.scheduler.attempt import reservations
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import served_by_classes
from kubelint_gpu.scheduler.plugins.dynamic_resources.node_likeness import own_devices
from kubelint_gpu.simulation.controllers.reconciler import PodType
from kubelint_gpu.simulation.controllers.rollout_state import UNBOUND, Content, HeldDevices, HeldHere, State, changed
from kubelint_gpu.values import replace

Charge = Mapping[str, int]


class ClaimQuotas:
    """The quotas that count claims, the `charges` of each kind's claims, and the usage of pods that stay."""

    def __init__(self, cluster: Cluster, kinds: Sequence[PodType]) -> None:
        templates = {template.key: template for template in cluster.claim_templates}
        served = served_by_classes(cluster)
        self._kinds = kinds
        self.charges = [_charges(kind.pod, templates, served) for kind in kinds]
        keys = {key for quota in cluster.quotas for key in quota.hard if is_charged_for_claims(key, served)}
        self._quotas = [quota for quota in cluster.quotas if not keys.isdisjoint(quota.hard)]
        self._stays: dict[str, dict[str, int]] = {}
        for claim in cluster.resource_claims:
            if claim.meta.owner is None:
                self._stay(claim.meta.namespace, claim_charge(claim.spec, served))
        for pod in cluster.pods:
            if pod.spec.node_name and not pod.finished:
                for _, charge in _charges(pod, templates, served):
                    self._stay(pod.meta.namespace, charge)

    def _stay(self, namespace: str, charge: Charge) -> None:
        _add(self._stays.setdefault(namespace, {}), charge, 1)

    def refusal(self, kind: int, nodes: Sequence[Content]) -> QuotaRefusal | None:
        """How a quota refuses a claim of one more pod of a kind; None if all its claims can be created."""
        pod, mine = self._kinds[kind].pod, self.charges[kind]
        quotas = [quota for quota in self._quotas if quota.meta.namespace == pod.meta.namespace] if mine else []
        if not quotas:
            return None
        used = dict(self._stays.get(pod.meta.namespace, {}))
        for content in nodes:
            for other, phase, count in content:
                if other >= 0 and phase not in UNBOUND:
                    there = self._kinds[other].pod
                    for _, charge in self.charges[other] if there.meta.namespace == pod.meta.namespace else ():
                        _add(used, charge, count)
        for name, charge in mine:
            for quota in quotas:
                over = _excess(quota, charge, used)
                if over:
                    return QuotaRefusal(f"{pod.meta.name}-…-{name}-…", quota.meta.name, over, kind=CLAIMS)
            _add(used, charge, 1)
        return None


def _charges(
    pod: Pod, templates: Mapping[str, ResourceClaimTemplate], served: Mapping[str, DeviceClass]
) -> tuple[tuple[str, Charge], ...]:
    """The charge of each claim that is generated for a pod, by its name in the pod."""
    found = []
    for one in pod_claims(pod):
        template = templates.get(f"{pod.meta.namespace}/{one.template}") if one.template is not None else None
        if template is not None:
            found.append((one.name, claim_charge(template.spec, {} if one.name == EXTENDED_ENTRY else served)))
    return tuple(found)


def _add(used: dict[str, int], charge: Charge, count: int) -> None:
    for key, amount in charge.items():
        used[key] = used.get(key, 0) + amount * count


def _excess(quota: ResourceQuota, charge: Charge, used: Charge) -> tuple[Excess, ...]:
    keys = sorted(key for key in quota.hard if charge.get(key))
    return tuple(
        Excess(key, charge[key], used.get(key, 0), quota.hard[key])
        for key in keys
        if used.get(key, 0) + charge[key] > quota.hard[key]
    )


Own = tuple[Allocation, ...]
"""What the claims made for one pod have, in the order of its spec."""
Translation = Mapping[DeviceID, DeviceID]
"""The devices of a node as those of another one."""
_SAME: tuple[Translation, Translation] = ({}, {})
Holding = tuple[int, str, tuple[tuple[str, Allocation], ...]]
"""A pod that is known to run: its kind, its node, and what its claims have."""
Placing = tuple[Snapshot, str]
"""A cluster, and the name of one of its nodes."""
NodesByClass = tuple[Sequence[str], Sequence[range]]
"""The names of nodes, and the positions of those among them that no pod in play can tell apart."""


class DeviceAllocations:
    """The allocations of one exploration, by number; 0 stands for no allocation.

    Attributes:
        cluster: the cluster without the allocations of claims that pods in play name.
    """

    def __init__(
        self, cluster: Cluster, kinds: Sequence[PodType], nodes: NodesByClass, holding: Sequence[Holding]
    ) -> None:
        self._kinds = kinds
        self._names, classes = nodes
        self._translations = _translations(cluster, self._names, classes)
        named = [_named(kind.pod) for kind in kinds]
        self._keys = tuple(sorted({key for keys in named for key in keys}))
        place = {key: number for number, key in enumerate(self._keys)}
        self._used = [tuple(sorted(place[key] for key in keys)) for keys in named]
        self._users = [frozenset(kind for kind, used in enumerate(self._used) if one in used) for one in place.values()]
        staying = [_named(pod) for pod in cluster.pods if pod.spec.node_name and not pod.finished]
        self._staying = [sum(key in keys for keys in staying) for key in self._keys]
        self._own: list[Own] = [()]
        self._numbers: dict[Own, int] = {(): 0}
        self._shared: list[Allocation | None] = [None]
        self._shared_numbers: dict[Allocation, int] = {}
        known = {claim.key: claim.allocation for claim in cluster.resource_claims if claim.allocation is not None}
        for pod in cluster.pods:
            known.update(pod.allocations)
        self._known: dict[tuple[int, str], list[int]] = {}
        for kind, name, allocations in holding:
            known.update((key, found) for key, found in allocations if key in place)
            own = tuple([found for key, found in allocations if key not in place])
            self._known.setdefault((kind, name), []).append(self._number(own, name))
        self._first = tuple([self._shared_number(known[key]) if key in known else 0 for key in self._keys])
        self.cluster = self._with_claims(cluster, dict.fromkeys(self._keys))
        self.quotas = ClaimQuotas(cluster, kinds)
        self._ways: dict[Hashable, tuple[tuple[int, tuple[int, ...]], ...]] = {}

    def first(self, nodes: Sequence[Content]) -> HeldDevices:
        """The allocations that the pods on the nodes have at first."""
        found = []
        for name, content in zip(self._names, nodes, strict=True):
            here: Content = ()
            counts = summed((kind, count) for kind, count in _bound(content))
            for kind, count in counts.items():
                for number in self._known.get((kind, name), ())[:count]:
                    here = changed(here, kind, number, 1) if number else here
            found.append(here)
        return HeldDevices(tuple(found), self._first)

    def is_known(self, kind: int, index: int) -> bool:
        """Whether the devices of a pod of a kind on a node are known."""
        return (kind, self._names[index]) in self._known

    def reserved(
        self, kind: int, index: int, held: HeldDevices, pod: Pod, scene: Hashable, snapshot: Callable[[], Placing]
    ) -> Iterator[HeldDevices]:
        """Yield the allocations after a pod of a kind is bound to a node, for each choice of the scheduler.

        The choices are those of the node in `snapshot`; calls with equal `scene` share them.
        """
        ways = self._ways.get(scene)
        if ways is None:
            found: dict[tuple[int, tuple[int, ...]], None] = {}
            before, name = snapshot()
            for given in reservations(pod, before, name):
                allocations = dict(given.allocations)
                shared = list(held.shared)
                for one in self._used[kind]:
                    allocation = allocations.pop(self._keys[one], None)
                    if allocation is not None:
                        shared[one] = self._shared_number(allocation)
                own = self._number(tuple(allocations.values()), name)
                found.setdefault((own, tuple(shared)))
            ways = self._ways[scene] = tuple(found)
        for number, after in ways:
            on_nodes = held.on_nodes
            if number:
                on_nodes = _with(on_nodes, index, changed(on_nodes[index], kind, number, 1))
            yield HeldDevices(on_nodes, after)

    def released(self, kind: int, index: int, content: Content, held: HeldDevices) -> Iterator[HeldDevices]:
        """Yield the allocations after one pod of a kind on a node is gone, for each pod that it can be."""
        here = held.on_nodes[index]
        mine = [(number, count) for other, number, count in here if other == kind]
        for number, _ in mine:
            yield HeldDevices(_with(held.on_nodes, index, changed(here, kind, number, -1)), held.shared)
        if sum(count for _, count in mine) < sum(count for other, count in _bound(content) if other == kind):
            yield held

    def released_all(self, kinds: Collection[int], held: HeldDevices, node: int | None = None) -> HeldDevices:
        """The allocations after all pods of some kinds are gone, from one node or from all."""
        on_nodes = [
            tuple([one for one in here if one[0] not in kinds]) if node in (None, index) else here
            for index, here in enumerate(held.on_nodes)
        ]
        return HeldDevices(tuple(on_nodes), held.shared)

    def deallocated(self, state: State, held: HeldDevices) -> Iterator[HeldDevices]:
        """Yield the allocations after one unused claim is deallocated."""
        for one in self._unused(state.nodes, held):
            yield HeldDevices(held.on_nodes, (*held.shared[:one], 0, *held.shared[one + 1 :]))

    def is_full(self, kind: int, nodes: Sequence[Content]) -> bool:
        """Whether a claim that pods of a kind name has its maximum of consumers."""
        for one in self._used[kind]:
            users = self._users[one]
            count = sum(number for content in nodes for other, number in _bound(content) if other in users)
            if self._staying[one] + count >= MOST_CONSUMERS:
                return True
        return False

    def idle(self, nodes: Sequence[Content], held: HeldDevices | None) -> tuple[tuple[int, int], ...]:
        """The claims that have devices but no user, each with the number of its allocation."""
        return () if held is None else tuple([(one, held.shared[one]) for one in self._unused(nodes, held)])

    def around(self, cluster: Cluster, idle: Sequence[tuple[int, int]]) -> Cluster:
        """Return the cluster in which the claims of pods in play have no devices, except the `idle` ones."""
        has: dict[str, Allocation | None] = dict.fromkeys(self._keys)
        has.update((self._keys[one], self._shared[number]) for one, number in idle)
        return self._with_claims(cluster, has)

    def given(
        self, kind: int, name: str, index: int, held: HeldHere, count: int
    ) -> list[tuple[tuple[str, Allocation], ...]]:
        """The allocations of `count` pods of a kind on a node, by the keys of their claims; `name` is the key of a pod.

        Shared claims are left out if `held` has none of them, for filters that look only at the node.
        """
        on_node, of_claims = held
        shared = []
        for one in self._used[kind] if of_claims else ():
            allocation = self._shared[of_claims[one]]
            if allocation is not None:
                shared.append((self._keys[one], allocation))
        own = [number for other, number, many in on_node if other == kind for _ in range(many)]
        numbers = [*own[:count], *([0] * (count - len(own)))]
        _, here = self._translations.get(self._names[index], _SAME)
        found = []
        for place, number in enumerate(numbers):
            mine = [_translated(one, here) for one in self._own[number]]
            found.append((*shared, *((f"{name}-{index}.{place}.{one}", given) for one, given in enumerate(mine))))
        return found

    def _unused(self, nodes: Sequence[Content], held: HeldDevices) -> list[int]:
        found = []
        for one, number in enumerate(held.shared):
            if number and not self._staying[one]:
                users = self._users[one]
                if not any(kind in users for content in nodes for kind, _ in _bound(content)):
                    found.append(one)
        return found

    def _number(self, own: Own, name: str) -> int:
        """The number of an allocation on a node, expressed as devices of the first equal node."""
        first, _ = self._translations.get(name, _SAME)
        own = tuple([_translated(replace(_plain(one), node_selector=None), first) for one in own])
        if own not in self._numbers:
            self._numbers[own] = len(self._own)
            self._own.append(own)
        return self._numbers[own]

    def _shared_number(self, allocation: Allocation) -> int:
        allocation = _plain(allocation)
        if allocation not in self._shared_numbers:
            self._shared_numbers[allocation] = len(self._shared)
            self._shared.append(allocation)
        return self._shared_numbers[allocation]

    @staticmethod
    def _with_claims(cluster: Cluster, has: dict[str, Allocation | None]) -> Cluster:
        if not has:
            return cluster
        claims = tuple(
            replace(claim, allocation=has[claim.key], reserved_for=()) if claim.key in has else claim
            for claim in cluster.resource_claims
        )
        return replace(cluster, resource_claims=claims)


def _translations(
    cluster: Cluster, names: Sequence[str], classes: Sequence[range]
) -> dict[str, tuple[Translation, Translation]]:
    """For nodes of one class, by name: the map from their devices to those of the first node, and its inverse."""
    found: dict[str, tuple[Translation, Translation]] = {}
    for members in (one for one in classes if len(one) > 1):
        first, *others = own_devices(cluster, [names[place] for place in members])
        for place, mine in zip(members[1:], others, strict=True):
            found[names[place]] = dict(zip(mine, first, strict=True)), dict(zip(first, mine, strict=True))
    return found


def _translated(allocation: Allocation, names: Translation) -> Allocation:
    if not names:
        return allocation
    devices = [replace(one, id=names.get(one.id, one.id)) for one in allocation.devices]
    return replace(allocation, devices=tuple(devices))


def _named(pod: Pod) -> frozenset[str]:
    return frozenset(f"{pod.meta.namespace}/{one.claim}" for one in pod_claims(pod) if one.claim is not None)


def _plain(allocation: Allocation) -> Allocation:
    """An allocation without its origin, which no filter looks at."""
    devices = [
        replace(one, request="", binding_conditions=(), binding_failure_conditions=(), share="share" * bool(one.share))
        for one in allocation.devices
    ]
    return replace(allocation, devices=tuple(devices))


def _bound(content: Content) -> Iterator[tuple[int, int]]:
    """Yield the kind and count of pods that are bound to a node, phase by phase."""
    for kind, phase, count in content:
        if kind >= 0 and phase not in UNBOUND:
            yield kind, count


def _with(on_nodes: tuple[Content, ...], index: int, here: Content) -> tuple[Content, ...]:
    return (*on_nodes[:index], here, *on_nodes[index + 1 :])
