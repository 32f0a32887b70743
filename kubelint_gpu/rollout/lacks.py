"""Who waits in a state in which nothing moves any more, and what each lacks where."""

from __future__ import annotations

from kubelint_gpu.rollout.actor import Kind
from kubelint_gpu.rollout.participant import owner_of
from kubelint_gpu.rollout.room import takes
from kubelint_gpu.rollout.scene import Scene
from kubelint_gpu.rollout.state import ABSENT, AWAITED, STARTING, UNBOUND, State, census
from kubelint_gpu.rollout.telling import Telling
from kubelint_gpu.rollout.trace import Holder, Lack, Waiting
from kubelint_gpu.scheduler import FitResult, Snapshot, fit, message, preempt

MULTI_ATTACH = "Multi-Attach error: the volume is attached to another node"


class Lacks:
    """Looks at a last state."""

    def __init__(self, scene: Scene, telling: Telling) -> None:
        self._scene = scene
        self._kinds = scene.cast.kinds
        self._telling = telling
        self._in_play: frozenset[int] = frozenset()

    def waiting(self, state: State) -> tuple[Waiting, ...]:
        """Everybody who waits, new pods first."""
        snapshot = self._telling.snapshot(state)
        self._in_play = frozenset(id(pod) for _, _, _, pod in self._scene.places.placed(state.nodes))
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
            if not (self._kinds[number].temporary or number in self._scene.cast.optional):
                found.append(self._stranded(number, home, count, snapshot, state))
        found += self._refused(state)
        found += self._not_starting(state)
        return tuple(sorted(found, key=lambda one: not one.new))

    def _stranded(self, number: int, home: int | None, count: int, snapshot: Snapshot, state: State) -> Waiting:
        kind = self._kinds[number]
        pod = self._scene.places.incoming(number, only=home)
        result = fit(pod, snapshot)
        if result.schedulable:
            # it moves on, but in a circle: nothing that it lacks could be named
            return Waiting(kind.owner, kind.new, count)
        text = message(pod, snapshot, result, preempt(pod, snapshot, result) if result.total else None)
        lacks = self._lacks(number, home, result, snapshot, state)
        return Waiting(kind.owner, kind.new, count, text or "", lacks=lacks)

    def _refused(self, state: State) -> list[Waiting]:
        found = []
        for actor, control in zip(self._scene.model.actors, state.controls, strict=True):
            if not actor.rolls:
                continue
            for change in actor.changes(control, census(state)):
                if change.create is None:
                    continue
                kind = self._kinds[change.create[0]]
                refusal = self._scene.places.refusal(change.create[0], state)
                if refusal is not None:
                    found.append(Waiting(kind.owner, kind.new, change.create[1], refusal=refusal))
        return found

    def _not_starting(self, state: State) -> list[Waiting]:
        found = []
        for index, content in enumerate(state.nodes):
            for number, phase, count in content:
                if phase == STARTING and not self._scene.places.starts(number, index, state):
                    kind = self._kinds[number]
                    lack = Lack(self._scene.places.names[index], "VolumeAttach", MULTI_ATTACH)
                    found.append(Waiting(kind.owner, kind.new, count, lacks=(lack,)))
        return found

    def _lacks(
        self, number: int, home: int | None, result: FitResult, snapshot: Snapshot, state: State
    ) -> tuple[Lack, ...]:
        """Why the nodes that could take the pod do not."""
        request = takes(self._kinds[number].pod)
        rejections = result.rejections
        found = []
        for index, name in enumerate(self._scene.places.names):
            status = rejections.get(name) or result.prefilter
            if status is None or name not in self._scene.eligible[number] or (home is not None and index != home):
                continue
            node = snapshot.node(name)
            resource = _resource(status.reasons[0]) if status.plugin == "NodeResourcesFit" else ""
            holders = self._holders(index, state, snapshot, resource)
            if node is None or not resource:
                found.append(Lack(name, status.plugin, status.reasons[0], holders=holders))
                continue
            allocatable = node.node.allocatable.get(resource, 0)
            used = len(node.pods) if resource == "pods" else node.used.get(resource, 0)
            free = max(0, allocatable - used)
            needed = request.get(resource, 0)
            found.append(Lack(name, status.plugin, status.reasons[0], resource, needed, free, allocatable, holders))
        return tuple(sorted(found, key=lambda lack: (-lack.free, lack.node)))

    def _holders(self, index: int, state: State, snapshot: Snapshot, resource: str) -> tuple[Holder, ...]:
        """Who holds a resource on a node, by owner; without a resource, everybody who is there."""
        if state.nodes[index] == ABSENT:
            return ()
        found: dict[tuple[str, bool], tuple[int, int]] = {}
        node = snapshot.node(self._scene.places.names[index])
        entries: list[tuple[str, bool, int, int]] = []
        for number, phase, count in state.nodes[index]:
            kind: Kind = self._kinds[number]
            if phase not in UNBOUND:
                entries.append((kind.owner, kind.new, count, takes(kind.pod).get(resource, 0) * count))
        entries += [
            (owner_of(pod) or f"Pod/{pod.key}", False, 1, takes(pod).get(resource, 0))
            for pod in (node.pods if node is not None else ())
            if id(pod) not in self._in_play
        ]
        for owner, new, count, amount in entries:
            if amount or not resource:
                before = found.get((owner, new), (0, 0))
                found[owner, new] = (before[0] + count, before[1] + amount)
        return tuple(Holder(owner, new, count, amount) for (owner, new), (count, amount) in sorted(found.items()))


def _resource(reason: str) -> str:
    if reason.startswith("Insufficient "):
        return reason.removeprefix("Insufficient ")
    return "pods" if reason == "Too many pods" else ""
