"""Where pods can go: each answer comes from the scheduler core, cached per kind and content of a node."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.budget import STEPS
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.quota import QuotaRefusal
from kubelint_gpu.scheduler import fit
from kubelint_gpu.scheduler.placement.filling import fitting_on
from kubelint_gpu.simulation.controllers.reconciler import PodType
from kubelint_gpu.simulation.controllers.rollout_state import ABSENT, NOMINATED, Content, HeldDevices, State, canonical
from kubelint_gpu.simulation.model.node_symmetry import Domain, PodEquivalence, in_order, without_phases
from kubelint_gpu.simulation.model.placed_pods import StatePods, VolumeBinder
from kubelint_gpu.simulation.model.preemptions import Eviction, Preemptions
from kubelint_gpu.simulation.model.quota_use import QuotaUse, named_pod
from kubelint_gpu.work import UsedUp, charge

if TYPE_CHECKING:
    from kubelint_gpu.simulation.model.device_allocations import DeviceAllocations, Placing


class ClusterOracle:
    """Answers for the nodes of one exploration.

    Attributes:
        names: the nodes, class by class.
        classes: positions of nodes that are equal for all pods in play.
        domains: groups of equal domains.
        class_of: for each position, the number of its class.
        state_pods: the pods on the nodes, as the scheduler sees them.
        standing: the pods that stay where they are.
        local: for each kind, whether its fit on a node depends on that node alone.
        peaceful: whether no pod in play can preempt another.
        devices: the allocations of claims of pods in play; None if there are no claims.
        errs: whether an attempt ended with an error. Then fewer pods or more room may change the answer either way.
    """

    def __init__(
        self,
        cluster: Cluster,
        kinds: tuple[PodType, ...],
        names: tuple[str, ...],
        classes: tuple[range, ...],
        local: tuple[bool, ...],
        admission: QuotaUse,
        domains: tuple[tuple[Domain, ...], ...] = (),
        devices: DeviceAllocations | None = None,
    ) -> None:
        self.names = names
        self.classes = classes
        self.domains = domains
        self._kinds = kinds
        self.local = local
        self.devices = devices
        if self.devices is not None:
            cluster = self.devices.cluster
        self.volumes = VolumeBinder(cluster, kinds)
        self.state_pods = StatePods(cluster, kinds, names, classes, self.volumes, self.devices)
        self._preemptions = Preemptions(self.state_pods, kinds, names, cluster.pods)
        self._admission = admission
        self.standing = cluster.pods
        self._positions = {name: position for position, name in enumerate(names)}
        self.class_of = tuple(number for number, members in enumerate(classes) for _ in members)
        self._asked: tuple[object, object, dict[tuple[int, int], Sequence[int]], list[int]] = None, None, {}, []
        self._sights: dict[tuple[int, Content, Content], int] = {}
        self._on_sights: dict[tuple[int, int], dict[int, bool]] = {}
        self._plainly: dict[tuple[int, int, Content, Content], bool] = {}
        self.errs = False
        self._everywhere: dict[Hashable, tuple[int, ...]] = {}
        self._evicted: dict[Hashable, tuple[Eviction, ...] | None] = {}
        lowest = min((pod.spec.priority or 0 for pod in (*(kind.pod for kind in kinds), *cluster.pods)), default=0)
        self._may_evict = tuple(lowest < kind.priority and kind.pod.spec.preemption_policy != "Never" for kind in kinds)
        self.peaceful = not any(self._may_evict)
        self._likeness = PodEquivalence(kinds, cluster.pods)
        self._named = tuple(named_pod(kind) for kind in kinds)
        self._charged = tuple(admission.covers(kind.pod) for kind in kinds)

    def canonical(self, state: State) -> State:
        """The same moment with the contents of equal nodes, and of equal domains, in sorted order."""
        found = canonical(state, self.classes)
        if not self.domains:
            return found
        return found._replace(nodes=tuple(in_order(list(found.nodes), self.domains)))

    def fitting(
        self, kind: int, state: State, home: int | None = None, among: Sequence[int] | None = None
    ) -> Iterator[int]:
        """Yield the nodes on which a waiting pod of a kind fits, in order; `home` is its nominated node.

        With `among`, only these nodes; then the fit of the kind must depend on each node alone.
        """
        if self.devices is not None and (self.devices.is_full(kind, state.nodes) or self.claim_refusal(kind, state)):
            return
        if not self.local[kind]:
            yield from self._fitting_beside_others(kind, state, home)
        elif among is not None:
            first, nodes, here = self._likeness.first[kind], state.nodes, _held(state)
            faced = ((index, self._likeness.facing(kind, nodes[index], False)) for index in among)
            yield from (one for one, face in faced if self._fits_on(first, self.class_of[one], face, here[one]))
        else:
            yield from self._fitting_each(kind, state, home)

    def _fitting_each(self, kind: int, state: State, home: int | None) -> Iterator[int]:
        """Yield the nodes on which a pod fits if each node decides by itself; nodes that look alike are asked once."""
        nodes, first = state.nodes, self._likeness.first[kind]
        if self._asked[0] is not nodes or self._asked[1] is not state.held:
            self._asked = nodes, state.held, {}, []
        answers, sights = self._asked[2:]
        alike = (first, self._kinds[kind].priority)
        if home is None and alike in answers:
            yield from answers[alike]
            return
        charge(1 + len(nodes) // STEPS.asked_nodes)
        verdicts, held = self._on_sights.setdefault(alike, {}), _held(state)
        found = []
        for index, content in enumerate(nodes):
            if index == len(sights):
                key = (self.class_of[index], content, held[index])
                sights.append(self._sights.setdefault(key, len(self._sights)))
            fits = verdicts.get(sights[index]) if index != home else None
            if fits is None:
                facing = self._likeness.facing(kind, content, index == home)
                fits = self._fits_on(first, self.class_of[index], facing, held[index])
                if index != home:
                    verdicts[sights[index]] = fits
            if fits:
                found.append(index)
                yield index
        if home is None:
            answers[alike] = found

    def _fitting_beside_others(self, kind: int, state: State, home: int | None) -> Iterator[int]:
        """Yield the nodes on which a pod fits if pods on other nodes matter, too."""
        nodes = state.nodes
        charge(1 + len(nodes) // STEPS.asked_nodes)
        contents = tuple([self._likeness.facing(kind, content, index == home) for index, content in enumerate(nodes)])
        nominated = {index for index, content in enumerate(contents) if any(one[1] == NOMINATED for one in content)}
        if not nominated:
            yield from self._fitting_among(kind, contents, state)
            return
        # kube-scheduler adds those nominated to the node that it looks at, and asks again without them
        without = tuple([tuple([one for one in content if one[1] != NOMINATED]) for content in contents])
        for index in self._fitting_among(kind, without, state):
            beside = (*without[:index], contents[index], *without[index + 1 :])
            if index not in nominated or index in self._fitting_among(kind, beside, state):
                yield index

    def fits_on(self, kind: int, node: int, state: State) -> bool:
        """Whether a waiting pod of a kind fits on one node."""
        return node in self.fitting(kind, state, among=(node,) if self.local[kind] else None)

    def evictions(self, kind: int, state: State, home: int | None, only: int | None) -> Sequence[Eviction] | None:
        """Return the preemptions possible for a waiting pod that fits nowhere; None if the pod must not preempt.

        Raises:
            UnmodelledVictim: it would preempt pods that are not in play.
        """
        if not self._may_evict[kind]:
            return ()
        contents = tuple([self._likeness.facing(kind, one, at == home) for at, one in enumerate(state.nodes)])
        key = (kind, home, only, contents, state.held, state.bindings)
        if key not in self._evicted:
            self._evicted[key] = self._preemptions.chosen(kind, contents, state, home, only)
        return self._evicted[key]

    def additions(self, kind: int, state: State) -> Sequence[int]:
        """The nodes that an autoscaler may add for a waiting pod that fits nowhere."""
        absent = [index for index, content in enumerate(state.nodes) if content == ABSENT]
        if self.local[kind]:
            return [one for one in absent if self._fits_on(self._likeness.first[kind], self.class_of[one], (), ())]
        nodes = state.nodes
        return [
            index
            for index in absent
            if index in self._fitting_among(kind, (*nodes[:index], (), *nodes[index + 1 :]), state)
        ]

    def reserved(self, kind: int, node: int, state: State, home: int | None = None) -> Sequence[HeldDevices | None]:
        """The allocations after a waiting pod of a kind, nominated to `home`, is bound to a node that takes it."""
        if self.devices is None or state.held is None:
            return (None,)
        number, held, first = self.class_of[node], state.held, self._likeness.first[kind]
        content = self._likeness.folded(state.nodes[node])
        here = (self._likeness.folded_held(held.on_nodes[node]), held.shared)

        def placing() -> Placing:
            if self.local[kind]:
                return self.state_pods.filled(number, content, here)
            return self.state_pods.snapshot(state.nodes, held, bindings=state.bindings), self.names[node]

        where: Hashable = (first, number, here) if self.local[kind] else (first, None, node, held)
        return list(self.devices.reserved(kind, node, held, self.state_pods.incoming(kind, home), where, placing))

    def released(self, kind: int, node: int, state: State) -> Sequence[HeldDevices | None]:
        """The possible allocations after one pod of a kind on a node is gone."""
        if self.devices is None or state.held is None:
            return (None,)
        return list(self.devices.released(kind, node, state.nodes[node], state.held))

    def released_all(self, kinds: Collection[int], state: State, node: int | None = None) -> HeldDevices | None:
        """The allocations after all pods of some kinds are gone, from one node or from all."""
        if self.devices is None or state.held is None:
            return None
        return self.devices.released_all(kinds, state.held, node)

    def are_alike(self, kinds: Sequence[int]) -> bool:
        """Whether pods of these kinds are equal for all filters."""
        return len({self._likeness.first[kind] for kind in kinds}) == 1

    def is_charged(self, kind: int) -> bool:
        """Whether a quota counts pods of a kind."""
        return self._charged[kind]

    def may_create(self, kind: int, state: State) -> bool:
        """Whether the quotas admit one more pod of a kind; terminating pods still count."""
        return not self._charged[kind] or self.refusal(kind, state) is None

    def refusal(self, kind: int, state: State, *, before: bool = False) -> QuotaRefusal | None:
        """How a quota refuses one more pod of a kind; None if it admits it. A generated name ends with `-…`.

        With `before` the pod is one of those that run already.
        """
        if not self._charged[kind]:
            return None
        counts = list(state.waiting)
        for content in state.nodes:
            for other, _, count in content:
                if other >= 0:
                    counts[other] += count
        return self._admission.refusal(
            self._named[kind], [(self._named[other], count) for other, count in enumerate(counts)], before=before
        )

    def claim_refusal(self, kind: int, state: State) -> QuotaRefusal | None:
        """How a quota refuses a claim of one more pod of a kind, which then waits for it; None if it admits all."""
        return None if self.devices is None else self.devices.quotas.refusal(kind, state.nodes)

    def capacity(self, kind: int, enough: int) -> int:
        """How many pods of a kind fit beside the pods that stay; counting stops at `enough`.

        Exact for a kind whose fit on a node depends on that node alone.
        """
        total = 0
        for number, members in enumerate(self.classes):
            snapshot, name = self.state_pods.alone(number)
            total += fitting_on(self._kinds[kind].pod, snapshot, name, enough) * len(members)
            if total >= enough:
                return enough
        return total

    def _fits_on(self, kind: int, number: int, content: Content, here: Content) -> bool:
        if content == ABSENT:
            return False
        plain = without_phases(self._likeness.folded(content))
        here = self._likeness.folded_held(here) if here else here
        found = self._plainly.get((kind, number, plain, here))
        if found is None:
            charge(sum(count for _, _, count in plain) // STEPS.asked_nodes)
            snapshot, _ = self.state_pods.filled(number, plain, (here, ()))
            result = fit(self._kinds[kind].pod, snapshot)
            if result.unknown is not None:
                raise UsedUp
            found = self._plainly[kind, number, plain, here] = result.schedulable
        return found

    def _fitting_among(self, kind: int, contents: tuple[Content, ...], state: State) -> tuple[int, ...]:
        held, bindings = state.held, state.bindings
        if held is not None:
            held = held._replace(on_nodes=tuple([self._likeness.folded_held(one) for one in held.on_nodes]))
        kind, contents = self._likeness.first[kind], tuple([self._likeness.folded(one) for one in contents])
        found = self._everywhere.get((kind, contents, held, bindings))
        if found is None:
            result = fit(self._kinds[kind].pod, self.state_pods.snapshot(contents, held, bindings=bindings))
            if result.unknown is not None:
                raise UsedUp
            self.errs = self.errs or result.error is not None
            found = tuple(sorted([self._positions[name] for name in result.takers if name in self._positions]))
            self._everywhere[kind, contents, held, bindings] = found
        return found


def _held(state: State) -> Sequence[Content]:
    """For each node of a state, the devices that are held on it."""
    return state.held.on_nodes if state.held is not None else ((),) * len(state.nodes)
