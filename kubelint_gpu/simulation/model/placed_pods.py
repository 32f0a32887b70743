"""The pods of a state as the scheduler sees them, with their volumes, and snapshots with them on nodes.

A claim is bound once and for good: by the volume controller when it is created, or, with WaitForFirstConsumer, by the
scheduler when the first pod is bound to a node.
Behaviour: pkg/controller/volume/persistentvolume and pkg/scheduler/framework/plugins/volumebinding, 1.34.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.budget import PLACEMENT, STEPS
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.scheduler.plugins.volume_binding import best_volumes, bound_with
from kubelint_gpu.simulation.controllers.daemon_nodes import pinned_pod
from kubelint_gpu.simulation.controllers.reconciler import PodType
from kubelint_gpu.simulation.controllers.rollout_state import (
    ABSENT,
    BROKEN,
    EVICTED,
    LEAVING,
    READY,
    STARTING,
    UNBOUND,
    Content,
    HeldDevices,
    HeldHere,
    State,
)
from kubelint_gpu.simulation.prepare.volumes import bound_to, exclusive_claims
from kubelint_gpu.values import replace
from kubelint_gpu.work import charge

if TYPE_CHECKING:
    from kubelint_gpu.simulation.model.device_allocations import DeviceAllocations

Bindings = tuple[str, ...]
"""The volume of each claim that is open when a search begins, in the order of their keys; empty where it has none."""


class VolumeBinder:
    """The claims of one search's pods: unbound ones, and exclusive ones, which one node at a time can attach."""

    def __init__(self, cluster: Cluster, kinds: Sequence[PodType]) -> None:
        waits = {one.name for one in cluster.storage_classes if one.wait_for_first_consumer}
        named = [claim_keys(kind.pod) for kind in kinds]
        every = frozenset().union(*named) if named else frozenset[str]()
        self._claims = sorted(
            (claim for claim in cluster.claims if not claim.volume_name and claim.key in every),
            key=lambda claim: claim.key,
        )
        self._places = {claim.key: place for place, claim in enumerate(self._claims)}
        self._of = [sorted(self._places[key] for key in keys if key in self._places) for keys in named]
        self._at_once = [claim.class_name not in waits for claim in self._claims]
        self._volumes = cluster.volumes
        self._exclusive = tuple(exclusive_claims(kind.pod, cluster) for kind in kinds)
        self.unbound: Bindings = ("",) * len(self._claims)

    def made(self, kind: int, bindings: Bindings) -> tuple[Bindings, ...]:
        """The possible bindings by the volume controller when a pod of a kind and its claims are created."""
        found = [bindings]
        for place in self._of[kind] if bindings else ():
            if self._at_once[place] and not bindings[place]:
                found = [more for one in found for more in self._bound_at_once(place, one)]
        return tuple(found)

    def is_open(self, kind: int, bindings: Bindings) -> bool:
        """Whether a pod of a kind has claims without a volume."""
        return bool(bindings) and any(not bindings[place] for place in self._of[kind])

    def starts(self, kind: int, node: int, state: State) -> bool:
        """Whether a bound pod can become ready: no other node still holds a volume that it needs exclusively."""
        claims = self._exclusive[kind]
        return not claims or not any(
            claims & self._exclusive[other]
            for index, content in enumerate(state.nodes)
            if index != node
            for other, phase, _ in content
            if other >= 0 and phase not in (*UNBOUND, STARTING)
        )

    def placed(self, pod: Pod, snapshot: Snapshot, node: str, bindings: Bindings) -> Bindings:
        """The bindings after the scheduler binds a pod to a node; `snapshot` has the present claims."""
        found = list(bindings)
        for key, volume in bound_with(pod, snapshot, node).items():
            if key in self._places:
                found[self._places[key]] = volume
        return tuple(found)

    def within(self, cluster: Cluster, bindings: Bindings) -> Cluster:
        """The cluster with claims bound as in a state."""
        if not any(bindings):
            return cluster
        claims = {
            claim.key: bound_to(claim, volume) for claim, volume in zip(self._claims, bindings, strict=True) if volume
        }
        owners = {volume: claim for claim, volume in zip(self._claims, bindings, strict=True) if volume}
        return replace(
            cluster,
            claims=tuple(claims.get(claim.key, claim) for claim in cluster.claims),
            volumes=tuple(
                replace(volume, phase="Bound") if volume.meta.name in owners else volume for volume in cluster.volumes
            ),
        )

    def _bound_at_once(self, place: int, bindings: Bindings) -> list[Bindings]:
        claim = self._claims[place]
        of_class = [one for one in self._volumes if one.storage_class == claim.class_name]
        best = best_volumes(claim, of_class, None, frozenset(bindings))
        distinct = {one.node_affinity: one.meta.name for one in best}
        return [(*bindings[:place], name, *bindings[place + 1 :]) for name in distinct.values()] or [bindings]


class StatePods:
    """Creates pods for the kinds of one exploration, on its nodes."""

    def __init__(
        self,
        cluster: Cluster,
        kinds: Sequence[PodType],
        names: Sequence[str],
        classes: Sequence[range],
        volumes: VolumeBinder,
        devices: DeviceAllocations | None = None,
    ) -> None:
        self._volumes = volumes
        self.devices = devices
        self._cluster = cluster
        self._kinds = kinds
        self._names = names
        self._classes = classes
        self._single: dict[int, tuple[Snapshot, str]] = {}
        self._bases: dict[Hashable, Snapshot] = {}
        self._pods: dict[tuple[int, int], list[Pod]] = {}
        self._assembled: dict[Hashable, tuple[tuple[Content, ...], tuple[Content, ...], Snapshot]] = {}
        self._infos: dict[Hashable, NodeInfo] = {}
        self._giving: dict[Hashable, Pod] = {}
        self._on_nodes: dict[tuple[int, int, int, str], list[Pod]] = {}
        self._known: dict[Pod, tuple[int, int]] = {}

    def snapshot(
        self,
        nodes: tuple[Content, ...],
        held: HeldDevices | None = None,
        ages: Mapping[int, str] = EMPTY,
        bindings: Bindings = (),
    ) -> Snapshot:
        """The cluster with these contents on its nodes, without nodes that have not joined yet.

        `held` has the allocations of the pods' claims, `ages` the start times of pods by kind, `bindings` the volumes
        that were bound meanwhile. The previous snapshot is reused, because few nodes change from state to state.
        """
        absent = tuple([index for index, content in enumerate(nodes) if content == ABSENT])
        idle = self.devices.idle(nodes, held) if self.devices is not None else ()
        key = (absent, idle, held.shared if held is not None else (), tuple(ages.items()), bindings)
        charge(1 + len(nodes) // STEPS.asked_nodes)
        base = self.base(nodes, idle, bindings)
        before, had, found = self._assembled.get(key, ((), (), base))
        if not before:
            before = tuple([content if content == ABSENT else () for content in nodes])
        has = held.on_nodes if held is not None else ()
        shared = held.shared if held is not None else ()
        changed = {
            self._names[index]: self._info(base, index, content, ages, (has[index], shared) if has else None)
            for index, (content, last) in enumerate(zip(nodes, before, strict=True))
            if (content is not last and content != last) or (has and had and has[index] != had[index])
        }
        if changed:
            found = found.with_infos(changed)
        self._assembled[key] = (nodes, has, found)
        return found

    def bound(self, kind: int, node: int, state: State) -> Bindings:
        """The bound volumes after a waiting pod of a kind is bound to a node."""
        if not self._volumes.is_open(kind, state.bindings):
            return state.bindings
        snapshot = self.base(state.nodes, bindings=state.bindings)
        return self._volumes.placed(self._kinds[kind].pod, snapshot, self._names[node], state.bindings)

    def known(self, pod: Pod) -> tuple[int, int] | None:
        """The kind and phase of a pod of a snapshot; None for a pod that stays."""
        return self._known.get(pod)

    def _info(
        self, base: Snapshot, index: int, content: Content, ages: Mapping[int, str], held: HeldHere | None
    ) -> NodeInfo:
        times = tuple([(kind, ages[kind]) for kind, _, _ in content if kind in ages]) if ages else ()
        key = (base, index, content, times, held)
        found = self._infos.get(key)
        if found is None:
            found = base.node(self._names[index])
            assert found is not None  # noqa: S101 - only nodes that are absent have no place in it
            had: dict[int, int] = {}
            for kind, phase, count in content:
                charge(1 + count // STEPS.asked_nodes)
                pods = self._on_node(index, kind, phase, count, ages.get(kind, "")) if phase != UNBOUND[1] else []
                if held is not None and pods and phase not in UNBOUND:
                    pods = self._with_devices(pods, kind, phase, index, held, had)
                for pod in pods:
                    found = found.with_pod(pod)
            if len(self._infos) > PLACEMENT.node_infos:
                self._infos.clear()
            self._infos[key] = found
        return found

    def _on_node(self, index: int, kind: int, phase: int, count: int, time: str) -> list[Pod]:
        """Return `count` pods of a kind in a phase on a node; the same ones each time."""
        pods = self._on_nodes.setdefault((index, kind, phase, time), [])
        pod = self._kinds[kind].pod
        while len(pods) < count:
            made = self._made(kind, phase, f"{pod.meta.name}-{kind}.{index}.{len(pods)}")
            made = replace(made, start_time=time) if time else made
            self._note(made, kind, phase)
            pods.append(made)
        return pods[:count]

    def _with_devices(
        self, pods: list[Pod], kind: int, phase: int, index: int, held: HeldHere, had: dict[int, int]
    ) -> list[Pod]:
        """Return the pods with the allocations of their claims; `had` counts earlier pods of the node by kind."""
        if self.devices is None:
            return pods
        first = had.get(kind, 0)
        had[kind] = first + len(pods)
        given = self.devices.given(kind, pods[0].key, index, held, first + len(pods))[first:]
        found = []
        for pod, allocations in zip(pods, given, strict=True):
            if not allocations:
                found.append(pod)
                continue
            key = (pod.meta.name, phase, pod.start_time, allocations)
            if key not in self._giving:
                made = self._giving[key] = replace(pod, allocations=allocations)
                self._note(made, kind, phase)
            found.append(self._giving[key])
        return found

    def _note(self, pod: Pod, kind: int, phase: int) -> None:
        self._known[pod] = (kind, phase)

    def placed(self, state: State) -> Iterator[tuple[int, int, int, Pod]]:
        """Each pod on the nodes, as (node, kind, phase, pod)."""
        numbers: dict[int, int] = {}
        for index, content in enumerate(state.nodes):
            had: dict[int, int] = {}
            for kind, phase, count in content:
                if kind >= 0:
                    first = numbers.get(kind, 0)
                    numbers[kind] = first + count
                    pods = self.numbered(kind, phase, first + count)[first:]
                    if state.held is not None and phase not in UNBOUND:
                        here = (state.held.on_nodes[index], state.held.shared)
                        pods = self._with_devices(pods, kind, phase, index, here, had)
                    for pod in pods:
                        yield index, kind, phase, pod

    def incoming(self, kind: int, home: int | None = None, only: int | None = None) -> Pod:
        """A waiting pod of a kind as the scheduler sees it."""
        pod = self._kinds[kind].pod
        if only is not None:
            pod = pinned_pod(pod, self._names[only])
        return replace(pod, nominated_node_name=self._names[home]) if home is not None else pod

    def numbered(self, kind: int, phase: int, count: int) -> list[Pod]:
        """Return `count` pods of a kind in a phase; the same ones each time."""
        pods = self._pods.setdefault((kind, phase), [])
        pod = self._kinds[kind].pod
        while len(pods) < count:
            pods.append(self._made(kind, phase, f"{pod.meta.name}-{kind}.{len(pods)}"))
        return pods[:count]

    def _made(self, kind: int, phase: int, name: str) -> Pod:
        pod, going = self._kinds[kind].pod, phase in (LEAVING, EVICTED)
        return replace(
            pod,
            meta=replace(pod.meta, name=name, uid=name, terminating=going),
            phase="Running" if phase in (READY, BROKEN) or going else "Pending",
            ready=phase == READY,
            preempted=phase == EVICTED,
        )

    def filled(self, number: int, content: Content, held: HeldHere) -> tuple[Snapshot, str]:
        """A snapshot of one node of a class with a content, and its name; `held` has the allocations of its pods."""
        base, name = self.alone(number)
        info = self._info(base, self._classes[number].start, content, EMPTY, held)
        return base.with_infos({name: info}), name

    def alone(self, number: int) -> tuple[Snapshot, str]:
        """A snapshot of only one node of a class with the pods that stay on it, and its name."""
        found = self._single.get(number)
        if found is None:
            name = self._names[self._classes[number].start]
            nodes = tuple(node for node in self._cluster.nodes if node.name == name)
            pods = tuple(pod for pod in self._cluster.pods if pod.spec.node_name == name)
            found = self._single[number] = Snapshot.of(replace(self._cluster, nodes=nodes, pods=pods)), name
        return found

    def base(
        self, nodes: tuple[Content, ...], idle: tuple[tuple[int, int], ...] = (), bindings: Bindings = ()
    ) -> Snapshot:
        """The cluster with only the pods that stay, without nodes that have not joined yet.

        `idle` are claims that have devices although no pod uses them.
        """
        absent = tuple([index for index, content in enumerate(nodes) if content == ABSENT])
        found = self._bases.get((absent, idle, bindings))
        if found is None:
            gone = {self._names[index] for index in absent}
            present = tuple(node for node in self._cluster.nodes if node.name not in gone)
            cluster = self._cluster
            if idle and self.devices is not None:
                cluster = self.devices.around(cluster, idle)
            found = self._bases[absent, idle, bindings] = Snapshot.of(
                self._volumes.within(replace(cluster, nodes=present), bindings)
            )
        return found
