"""Which pods wait at the end of a run, what each lacks on each node, and which pods keep it off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod, PodIdentifier
from kubelint_gpu.scheduler import Code, FitResult, Snapshot, Status, fit, message, preempt
from kubelint_gpu.scheduler.attempt import GATED
from kubelint_gpu.scheduler.framework.facts import Held, Keeps, Reach, never, nobody_blocks, same_node
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.scheduler.relations import blocking_plugins, facts_of, held, peeled, sought
from kubelint_gpu.simulation.controllers.rollout_state import AWAITED, BROKEN, STARTING, UNBOUND, State, census
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.demand import takes
from kubelint_gpu.simulation.prepare.volumes import exclusive_claims
from kubelint_gpu.simulation.prepare.workload_change import owner_of
from kubelint_gpu.simulation.search.narrate import Narration
from kubelint_gpu.simulation.search.trace import Blocker, BlockingPod, Waiting
from kubelint_gpu.values import Value, replace

ATTACH = "VolumeAttach"
"""In the place of a plugin: the attach/detach controller, which attaches some volumes to one node at a time."""


def rivals(plugin: str, pod: Pod, snapshot: Snapshot, resource: str = "", reason: str = "") -> Keeps:
    """Return which pods keep `pod` off nodes: holders of `resource` if given, else those that the plugin means.

    No pod does for plugins that look at no other pod.
    """
    if resource:
        return lambda other: same_node if takes(other).get(resource, 0) > 0 else never
    if plugin == ATTACH:
        mine = exclusive_claims(pod, snapshot.cluster)
        return lambda other: _elsewhere if not mine.isdisjoint(claim_keys(other)) else never
    return (facts_of(plugin).blockers or nobody_blocks)(pod, snapshot, reason)


def _elsewhere(node: Node, other: Node) -> bool:
    return node.name != other.name


class Placed(Value):
    """A number of equal pods of one owner on one node; `new` if they are of its new template."""

    owner: str
    new: bool
    where: Node
    number: int
    pod: Pod


class Candidates:
    """Collects the pods that keep a pod off nodes, by node."""

    def __init__(self) -> None:
        self._here: dict[str, list[Placed]] = {}
        self._anywhere: list[tuple[Reach, Placed]] = []

    def add(self, pods: Placed, reach: Reach) -> None:
        """Add pods that keep the waiting pod off the nodes in their reach."""
        if reach is same_node:
            self._here.setdefault(pods.where.name, []).append(pods)
        elif reach is not never:
            self._anywhere.append((reach, pods))

    def on(self, node: Node) -> list[Placed]:
        """The pods that keep the waiting pod off a node."""
        return self._here.get(node.name, []) + [one for reach, one in self._anywhere if reach(node, one.where)]


MULTI_ATTACH = "Multi-Attach error: the volume is attached to another node"


class BlockedPods:
    """Finds the blocked pods in the last state of a run."""

    def __init__(self, simulation: Simulation, telling: Narration) -> None:
        self._scene = simulation
        self._kinds = simulation.pod_types.kinds
        self._telling = telling
        self._in_play: frozenset[PodIdentifier] = frozenset()
        self._known: dict[tuple[int, str, str], Candidates] = {}

    def waiting(self, state: State, owner: str = "") -> tuple[Waiting, ...]:
        """All waiting pods, new ones first; with `owner`, only its pods that find no node or are refused."""
        snapshot = self._telling.snapshot(state)
        placed = self._scene.places.state_pods.placed(state)
        self._known.clear()
        self._in_play = frozenset(pod.identifier for _, _, _, pod in placed)
        pending: dict[tuple[int, int | None], int] = {}
        for number, count in enumerate(state.waiting):
            if count:
                pending[number, None] = count
        for index, content in enumerate(state.nodes):
            for number, phase, count in content:
                if phase in UNBOUND and number >= 0:
                    home = index if phase == AWAITED or self._kinds[number].pinned else None
                    pending[number, home] = pending.get((number, home), 0) + count
        found = []
        for (number, home), count in sorted(pending.items(), key=lambda one: (one[0][0], one[0][1] or -1)):
            kind = self._kinds[number]
            asked = not owner or kind.owner == owner
            if asked and (owner or not (kind.temporary or number in self._scene.pod_types.optional)):
                found.append(self._stranded(number, home, count, snapshot, state))
        found += self._refused(state, owner)
        found += self._not_starting(state)
        if not (found or owner):
            found = self._not_ready(state)
        return tuple(sorted(found, key=lambda one: not one.new))

    def _stranded(self, number: int, home: int | None, count: int, snapshot: Snapshot, state: State) -> Waiting:
        kind = self._kinds[number]
        refusal = self._scene.places.claim_refusal(number, state)
        if refusal is not None:
            return Waiting(kind.owner, kind.new, count, refusal=refusal, pod=kind.name)
        if kind.pod.spec.scheduling_gates:
            return Waiting(kind.owner, kind.new, count, GATED, pod=kind.name)
        pod = self._scene.places.state_pods.incoming(number, only=home)
        result = fit(pod, snapshot)
        if result.schedulable:
            # it moves on, but in a circle: nothing that it lacks could be named
            return Waiting(kind.owner, kind.new, count, pod=kind.name)
        text = message(pod, snapshot, result, preempt(pod, snapshot, result) if result.total else None)
        lacks = self._lacks(number, home, result, snapshot, state)
        return Waiting(kind.owner, kind.new, count, text or "", lacks=lacks, pod=kind.name)

    def _refused(self, state: State, owner: str) -> list[Waiting]:
        found, seen = [], census(state)
        for reconciler, control in zip(self._scene.model.reconcilers, state.controls, strict=True):
            if owner and reconciler.name != owner:
                continue
            for change in reconciler.actions(control, seen):
                if change.create is None:
                    continue
                kind = self._kinds[change.create[0]]
                refusal = self._scene.places.refusal(change.create[0], state)
                if refusal is not None:
                    found.append(Waiting(kind.owner, kind.new, change.create[1], refusal=refusal, pod=kind.name))
        return found

    def _not_starting(self, state: State) -> list[Waiting]:
        snapshot = self._telling.snapshot(state)
        found = []
        for index, content in enumerate(state.nodes):
            for number, phase, count in content:
                if phase == STARTING and not self._scene.places.volumes.starts(number, index, state):
                    kind, name = self._kinds[number], self._scene.places.names[index]
                    holders = self._holders(number, index, state, snapshot, ATTACH)
                    lack = Blocker(name, ATTACH, MULTI_ATTACH, Held.VOLUME.value, holders=holders)
                    found.append(Waiting(kind.owner, kind.new, count, lacks=(lack,), pod=kind.name))
        return found

    def _not_ready(self, state: State) -> list[Waiting]:
        """The pods that run but are not ready, for a state in which no pod waits."""
        found = []
        for index, content in enumerate(state.nodes):
            for number, phase, count in content:
                if phase == BROKEN:
                    kind, name = self._kinds[number], self._scene.places.names[index]
                    found.append(Waiting(kind.owner, kind.new, count, pod=kind.name, unready=name))
        return found

    def _lacks(
        self, number: int, home: int | None, result: FitResult, snapshot: Snapshot, state: State
    ) -> tuple[Blocker, ...]:
        """Why the nodes that could take the pod do not."""
        rejections = result.rejections
        behind = _behind(self._scene.places.state_pods.incoming(number, only=home), snapshot)
        found = []
        for index, name in enumerate(self._scene.places.names):
            status = rejections.get(name) or result.prefilter
            could = home == index if home is not None else name in self._scene.eligible[number]
            if status is None or not could:
                continue
            told = [rejected[name] for rejected in behind if name in rejected]
            # a volume that is not there is the cause, whoever leaves the node
            volumes = (one for one in told if held(one.plugin) == Held.VOLUME.value)
            status = next((one for one in volumes if one.code is Code.UNRESOLVABLE), status)
            first, *rest = self._looked_at(number, index, status, state, snapshot)
            for further in _after(status, told):
                more = self._looked_at(number, index, further, state, snapshot)
                rest += [lack for lack in more if lack.holders]
            found.append(replace(first, also=tuple(rest)))
        return tuple(sorted(found, key=lambda lack: (-lack.free, lack.node)))

    def _looked_at(self, number: int, index: int, status: Status, state: State, snapshot: Snapshot) -> list[Blocker]:
        """Return the missing things on a node according to the status of a plugin."""
        holds = held(status.plugin)
        if holds == Held.RESOURCE.value:
            short = [
                self._short(number, index, status.plugin, reason, resource, state, snapshot)
                for reason, resource in status.shortages
            ]
            # what a GPU pod waits for is the GPU, whatever else is short
            return sorted(short, key=lambda lack: "/" not in lack.resource)
        name, reason = self._scene.places.names[index], status.reasons[0]
        holders = self._holders(number, index, state, snapshot, status.plugin, reason)
        things = sought(status.plugin, self._kinds[number].pod, snapshot, name)
        failed = status.code is Code.ERROR
        return [Blocker(name, status.plugin, reason, holds, holders=holders, things=things, failed=failed)]

    def _short(
        self, number: int, index: int, plugin: str, reason: str, resource: str, state: State, snapshot: Snapshot
    ) -> Blocker:
        """Return the amount of one resource that the pod lacks on one node."""
        name = self._scene.places.names[index]
        node = snapshot.node(name)
        holders = self._holders(number, index, state, snapshot, plugin, reason, resource)
        if node is None or not resource:
            return Blocker(name, plugin, reason, Held.RESOURCE.value, holders=holders)
        allocatable = node.node.allocatable.get(resource, 0)
        used = node.pod_count if resource == "pods" else node.used.get(resource, 0)
        needed = takes(self._kinds[number].pod).get(resource, 0)
        free = max(0, allocatable - used)
        return Blocker(name, plugin, reason, Held.RESOURCE.value, resource, needed, free, allocatable, holders)

    def _holders(
        self,
        number: int,
        index: int,
        state: State,
        snapshot: Snapshot,
        plugin: str,
        reason: str = "",
        resource: str = "",
    ) -> tuple[BlockingPod, ...]:
        """The pods that keep the pod off a node, grouped by owner."""
        names = self._scene.places.names
        node = snapshot.node(names[index])
        if node is None:
            return ()
        found: dict[tuple[str, bool, str], tuple[int, int]] = {}
        for one in self._candidates(number, plugin, reason, resource, state, snapshot).on(node.node):
            key = (one.owner, one.new, one.where.name)
            before = found.get(key, (0, 0))
            found[key] = (before[0] + one.number, before[1] + takes(one.pod).get(resource, 0) * one.number)
        return tuple(BlockingPod(*key[:2], *amounts, key[2]) for key, amounts in sorted(found.items()))

    def _candidates(
        self, number: int, plugin: str, reason: str, resource: str, state: State, snapshot: Snapshot
    ) -> Candidates:
        """The pods that keep the pod off some node, by a plugin and its reason; computed once for all nodes."""
        found = self._known.get((number, plugin, reason))
        if found is None:
            keeps = rivals(plugin, self._kinds[number].pod, snapshot, resource, reason)
            found = self._known[number, plugin, reason] = Candidates()
            for one in self._placed(plugin, state, snapshot):
                found.add(one, keeps(one.pod))
        return found

    def _placed(self, plugin: str, state: State, snapshot: Snapshot) -> Iterator[Placed]:
        """Yield the pods on all nodes, equal ones together."""
        simulation, nodes = self._scene, [snapshot.node(name) for name in self._scene.places.names]
        placed: Iterable[tuple[int, int, int, int, Pod]]
        if held(plugin) == Held.DEVICE.value:
            # which of several equal pods has what they are about, only the pods themselves tell
            placed = (
                (place, kind, phase, 1, pod) for place, kind, phase, pod in simulation.places.state_pods.placed(state)
            )
        else:
            placed = (
                (place, kind, phase, count, self._kinds[kind].pod)
                for place, content in enumerate(state.nodes)
                for kind, phase, count in content
                if kind >= 0
            )
        for place, kind, phase, count, pod in placed:
            where = nodes[place]
            if phase not in UNBOUND and where is not None and not (plugin == ATTACH and phase == STARTING):
                yield Placed(self._kinds[kind].owner, self._kinds[kind].new, where.node, count, pod)
        for info in snapshot.nodes:
            for pod in info.pods:
                if pod.identifier not in self._in_play:
                    yield Placed(owner_of(pod) or f"Pod/{pod.key}", False, info.node, 1, pod)


_TOLD_BEHIND = (Held.PORT.value, Held.RESOURCE.value)


def _behind(pod: Pod, snapshot: Snapshot) -> list[Mapping[str, Status]]:
    """The scheduler's rejections of the pod with fewer and fewer fields that filters look at.

    A node reports only the first filter that rejects.
    """
    found, spec = [], pod.spec
    for _, spared in peeled():
        less = spared(spec)
        if less != spec:
            spec = less
            found.append(fit(replace(pod, spec=spec), snapshot).rejections)
    return found


def _after(first: Status, others: Sequence[Status]) -> Iterator[Status]:
    """Yield later rejections of a node behind the first one, each plugin once.

    Nothing comes behind a claim, which keeps the pod off all nodes alike.
    """
    order = blocking_plugins()
    said = order[: order.index(first.plugin) + 1] if held(first.plugin) in _TOLD_BEHIND else order
    for other in others:
        if other.plugin in order and other.plugin not in said:
            said = (*said, other.plugin)
            yield other
