"""A path of the explorer, played again step by step with real nodes, each step asked of the scheduler core.

A path that the core does not confirm on the whole cluster is a fault of this program, never a finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kubelint_gpu.kube.cluster import Cluster
from kubelint_gpu.kube.pod import Pod
from kubelint_gpu.kube.quantity import shown
from kubelint_gpu.rollout.actor import Kind
from kubelint_gpu.rollout.model import Step
from kubelint_gpu.rollout.room import takes
from kubelint_gpu.rollout.scene import Scene
from kubelint_gpu.rollout.state import LEAVING, NOMINATED, READY, STARTING, State, canonical
from kubelint_gpu.scheduler import Attempt, Snapshot, attempt


class NotConfirmed(AssertionError):  # noqa: N818 - it says what happened
    """The core does not agree with a step of the search."""


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One event of a run, in words: who acts, and what happens."""

    actor: str
    message: str


@dataclass(frozen=True, slots=True)
class Holder:
    """Pods on a node: whose they are, whether they are of the new template, how many, and what they hold."""

    owner: str
    new: bool
    count: int
    amount: int


@dataclass(frozen=True, slots=True)
class Lack:
    """Why a waiting pod does not get a node that could take it.

    Attributes:
        node: the node's name.
        plugin: the filter plugin that rejects.
        reason: its first reason.
        resource: the resource that is short, empty where it is none.
        needed: what the pod asks for, in the scheduler's units.
        free: what is left.
        allocatable: what the node has.
        holders: who holds the rest.
    """

    node: str
    plugin: str
    reason: str
    resource: str = ""
    needed: int = 0
    free: int = 0
    allocatable: int = 0
    holders: tuple[Holder, ...] = ()


@dataclass(frozen=True, slots=True)
class Waiting:
    """A pod that waits for ever: whose it is, what the scheduler says of it, and what it lacks where.

    `refusal` is the quota's text where the pod is not even created.
    """

    owner: str
    new: bool
    count: int
    scheduler: str = ""
    refusal: str = ""
    lacks: tuple[Lack, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """A run into waiting for ever: its steps, and who waits at its end.

    `evicted` are the owners of pods that were preempted on the way.
    """

    steps: tuple[TraceStep, ...]
    waiting: tuple[Waiting, ...]
    evicted: tuple[str, ...] = ()


def replay(scene: Scene, path: Sequence[State], cluster: Cluster) -> Trace:
    """Play a path again on the whole cluster.

    Raises:
        NotConfirmed: the core does not agree with a step.
    """
    return _Replay(scene, cluster).run(path)


class _Replay:
    def __init__(self, scene: Scene, cluster: Cluster) -> None:
        self._scene = scene
        self._kinds = scene.cast.kinds
        self._base = Snapshot.of(cluster)
        self._steps: list[TraceStep] = []
        self._evicted: list[str] = []

    def run(self, path: Sequence[State]) -> Trace:
        state = path[0]
        self._say("start", self._opening(state))
        for target in path[1:]:
            state = self._advance(state, target)
        waiting = self._waiting(state)
        for one in waiting:
            if one.scheduler:
                self._say("kube-scheduler", f"cannot place {self._pods(one)}: {one.scheduler}")
            elif one.refusal:
                self._say("ReplicaSet controller", f"cannot create {self._pods(one)}: {one.refusal}")
        return Trace(tuple(self._steps), waiting, tuple(self._evicted))

    def _advance(self, state: State, target: State) -> State:
        classes = self._scene.places.classes
        for step, following in self._scene.model.steps(state):
            if canonical(following, classes) == target:
                self._confirm(step, state)
                self._tell(step, state, following)
                return following
        raise NotConfirmed("no event leads from one state of the path to the next")

    def _confirm(self, step: Step, state: State) -> None:
        if step.act not in ("bind", "preempt"):
            return
        found = attempt(self._kinds[step.kind].pod, self._snapshot(state, step.kind))
        name = self._scene.places.names[step.node]
        if step.act == "bind" and (found.fit is None or name not in found.fit.fits):
            raise NotConfirmed(f"the pod does not fit on {name}")
        if step.act == "preempt" and (
            found.preemption is None or name not in [choice.node for choice in found.preemption.best]
        ):
            raise NotConfirmed(f"preemption does not choose {name}")

    def _snapshot(self, state: State, kind: int | None = None) -> Snapshot:
        """The whole cluster in a state; nominated pods of lower priority are not there for a pod of `kind`."""
        snapshot = self._base
        for index, other, phase, pod in self._scene.places.placed(state.nodes):
            if phase != NOMINATED or (kind is not None and self._stands_before(other, kind)):
                snapshot = snapshot.place(pod, self._scene.places.names[index])
        return snapshot

    def _stands_before(self, other: int, kind: int) -> bool:
        return other != kind and self._kinds[other].priority >= self._kinds[kind].priority

    def _tell(self, step: Step, state: State, following: State) -> None:
        name = self._scene.places.names[step.node] if step.node >= 0 else ""
        kind = self._kinds[step.kind] if step.kind >= 0 else None
        if step.act in ("control", "create", "delete"):
            owner = self._scene.cast.actors[step.actor].name
            controller = owner.split("/")[0] if step.act == "control" else "ReplicaSet"
            where = f" on {name}" if name else ""
            mine = "" if self._single() else f" of {owner}"
            self._say(f"{controller} controller", f"{step.what}{where}{mine if step.act == 'control' else ''}")
        elif kind is None:
            return
        elif step.act == "bind":
            self._say("kube-scheduler", f"binds {self._one(kind)} to {name}; {self._free(following, name, kind.pod)}")
        elif step.act == "preempt":
            victims = [self._kinds[victim] for victim, phase in step.victims if phase != LEAVING]
            self._evicted += [self._owner(victim) for victim in victims if self._owner(victim) not in self._evicted]
            named = ", ".join(f"{self._one(victim)} (priority {victim.priority})" for victim in victims)
            self._say("kube-scheduler", f"evicts {named} from {name} for {self._one(kind)} (priority {kind.priority})")
        elif step.act == "ready":
            self._say(f"kubelet on {name}", f"{self._one(kind)} is ready")
        elif step.act in ("gone", "finish"):
            word = "is gone" if step.act == "gone" else "ends"
            self._say(f"kubelet on {name}", f"{self._one(kind)} {word}; {self._free(following, name, kind.pod)}")

    def _opening(self, state: State) -> str:
        parts = []
        for number, kind in enumerate(self._kinds):
            spread: list[str] = []
            for index, content in enumerate(state.nodes):
                count = sum(found for other, phase, found in content if other == number and phase == READY)
                if count:
                    spread.append(f"{count} on {self._scene.places.names[index]}")
            if spread:
                parts.append(f"{self._named(kind)} run{'s' if spread == ['1'] else ''}: {', '.join(spread)}")
        names = sorted({index for index, content in enumerate(state.nodes) if content})
        free = [
            self._free(state, self._scene.places.names[index], self._kinds[content[0][0]].pod)
            for index in names
            if (content := state.nodes[index])
        ]
        return "; ".join([*parts, *dict.fromkeys(free)]) or "nothing runs"

    def _waiting(self, state: State) -> tuple[Waiting, ...]:
        snapshot = self._snapshot(state)
        found = []
        pending = dict(enumerate(state.waiting))
        for content in state.nodes:
            for number, phase, count in content:
                if phase == NOMINATED:
                    pending[number] += count
        for number, count in sorted(pending.items()):
            if count and not (self._kinds[number].temporary or number in self._scene.cast.optional):
                found.append(self._stranded(number, count, snapshot, state))
        found += self._refused(state)
        found += self._not_starting(state)
        return tuple(sorted(found, key=lambda one: not one.new))

    def _stranded(self, number: int, count: int, snapshot: Snapshot, state: State) -> Waiting:
        kind = self._kinds[number]
        result = attempt(kind.pod, snapshot)
        if result.fit is None or result.fit.schedulable:
            raise NotConfirmed("a pod that should wait for ever fits on a node")
        return Waiting(
            self._owner(kind), kind.new, count, result.message or "", lacks=self._lacks(number, result, snapshot, state)
        )

    def _refused(self, state: State) -> list[Waiting]:
        found = []
        for actor in self._scene.cast.actors:
            for number in actor.kinds:
                kind = self._kinds[number]
                refusal = self._scene.places.refusal(number, state) if kind.new else None
                if refusal is not None and not state.waiting[number]:
                    found.append(Waiting(self._owner(kind), kind.new, 1, refusal=refusal))
        return found

    def _not_starting(self, state: State) -> list[Waiting]:
        found = []
        for index, content in enumerate(state.nodes):
            for number, phase, count in content:
                if phase == STARTING and not self._scene.places.starts(number, index, state):
                    kind = self._kinds[number]
                    name = self._scene.places.names[index]
                    lack = Lack(name, "VolumeAttach", "Multi-Attach error: the volume is attached to another node")
                    found.append(Waiting(self._owner(kind), kind.new, count, lacks=(lack,)))
        return found

    def _lacks(self, number: int, result: Attempt, snapshot: Snapshot, state: State) -> tuple[Lack, ...]:
        """Why the nodes that could take the pod do not."""
        assert result.fit is not None  # noqa: S101 - asked by the caller
        kind = self._kinds[number]
        request = takes(kind.pod)
        rejections = result.fit.rejections
        found = []
        for index, name in enumerate(self._scene.places.names):
            status = rejections.get(name)
            if status is None or name not in self._scene.eligible[number]:
                continue
            node = snapshot.node(name)
            resource = _resource(status.reasons[0]) if status.plugin == "NodeResourcesFit" else ""
            if node is None or not resource:
                found.append(
                    Lack(name, status.plugin, status.reasons[0], holders=self._holders(index, state, number, ""))
                )
                continue
            allocatable = node.node.allocatable.get(resource, 0)
            used = len(node.pods) if resource == "pods" else node.used.get(resource, 0)
            found.append(
                Lack(
                    name,
                    status.plugin,
                    status.reasons[0],
                    resource,
                    request.get(resource, 0),
                    max(0, allocatable - used),
                    allocatable,
                    self._holders(index, state, number, resource),
                )
            )
        return tuple(sorted(found, key=lambda lack: (-lack.free, lack.node)))

    def _holders(self, index: int, state: State, _waiting: int, resource: str) -> tuple[Holder, ...]:
        """Who holds a resource on a node, by owner; without a resource, everything in play that is there."""
        found: dict[tuple[str, bool], tuple[int, int]] = {}
        entries = [
            (self._kinds[kind].pod, self._kinds[kind].new, count)
            for kind, phase, count in state.nodes[index]
            if phase != NOMINATED
        ]
        node = self._base.node(self._scene.places.names[index])
        entries += [(pod, False, 1) for pod in (node.pods if node is not None else ())]
        for pod, new, count in entries:
            amount = takes(pod).get(resource, 0) * count if resource else 0
            if amount or not resource:
                key = (_owner_of(pod, self._scene), new)
                before = found.get(key, (0, 0))
                found[key] = (before[0] + count, before[1] + amount)
        return tuple(Holder(owner, new, count, amount) for (owner, new), (count, amount) in sorted(found.items()))

    def _free(self, state: State, name: str, pod: Pod) -> str:
        node = self._snapshot(state).node(name)
        request = takes(pod)
        resource = next((found for found in request if "/" in found), next(iter(sorted(request))))
        if node is None:
            return name
        allocatable = node.node.allocatable.get(resource, 0)
        used = len(node.pods) if resource == "pods" else node.used.get(resource, 0)
        left, whole = shown(resource, max(0, allocatable - used)), shown(resource, allocatable)
        return f"{left} of {whole} {resource} free on {name}"

    def _single(self) -> bool:
        return len({self._owner(kind) for kind in self._kinds}) <= 1

    def _owner(self, kind: Kind) -> str:
        return _owner_of(kind.pod, self._scene, kind)

    def _named(self, kind: Kind) -> str:
        word = "new pods" if kind.new else "old pods" if self._rolls(kind) else "pods"
        return f"the {word} of {self._owner(kind)}" if not self._single() else f"the {word}"

    def _one(self, kind: Kind) -> str:
        word = "new pod" if kind.new else "old pod" if self._rolls(kind) else "pod"
        article = "the" if self._rolls(kind) else "a"
        return f"{article} {word}" if self._single() else f"{article} {word} of {self._owner(kind)}"

    def _rolls(self, kind: Kind) -> bool:
        return kind.actor >= 0 and len(self._scene.cast.actors[kind.actor].kinds) > 1

    def _pods(self, one: Waiting) -> str:
        word = "new pod" if one.new else "pod"
        many = f"{one.count} {word}s" if one.count > 1 else f"the {word}"
        return many if self._single() else f"{many} of {one.owner}"

    def _say(self, actor: str, message: str) -> None:
        self._steps.append(TraceStep(actor, message))


def _owner_of(pod: Pod, scene: Scene, kind: Kind | None = None) -> str:
    if kind is None:
        kind = next((found for found in scene.cast.kinds if found.pod is pod), None)
    if kind is not None and kind.actor >= 0:
        return scene.cast.actors[kind.actor].name
    owner = pod.meta.owner
    if owner is not None:
        return f"{owner.kind}/{pod.meta.namespace}/{owner.name}"
    return f"Pod/{pod.meta.namespace}/{pod.meta.name}"


def _resource(reason: str) -> str:
    if reason.startswith("Insufficient "):
        return reason.removeprefix("Insufficient ")
    return "pods" if reason == "Too many pods" else ""
