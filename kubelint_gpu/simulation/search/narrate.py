"""Describes events of a run in words, with the numbers of the whole cluster."""

from __future__ import annotations

from collections.abc import Hashable

from kubelint_gpu.budget import TOLD
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import PODS
from kubelint_gpu.kube.objects.storage import VOLUME_CLAIMS
from kubelint_gpu.kube.values.quantity import shown
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.relations import stock
from kubelint_gpu.simulation.controllers.reconciler import WHOSE, PodType
from kubelint_gpu.simulation.controllers.rollout_state import ABSENT, AWAITED, BROKEN, GOING, READY, State, count_on
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.model.transition_system import Step
from kubelint_gpu.simulation.prepare.demand import takes
from kubelint_gpu.simulation.search.trace import TraceStep, Waiting


class Narration:
    """Describes events, and shows the cluster in a state; `base` is its snapshot, if there already is one."""

    def __init__(self, simulation: Simulation, cluster: Cluster, base: Snapshot | None = None) -> None:
        self._scene = simulation
        self._kinds = simulation.pod_types.kinds
        self._names = simulation.places.names
        self._cluster = cluster
        self._base = base
        self._bases: dict[Hashable, Snapshot] = {}
        self._last: tuple[State, Snapshot] | None = None
        self._alone = len({kind.owner for kind in self._kinds}) <= 1

    def snapshot(self, state: State) -> Snapshot:
        """The whole cluster in a state, with nominated pods on the nodes that they are nominated to."""
        if self._last is not None and self._last[0] == state:
            return self._last[1]
        names = self._names
        absent = frozenset(names[index] for index, content in enumerate(state.nodes) if content == ABSENT)
        devices = self._scene.places.devices
        idle = devices.idle(state.nodes, state.held) if devices is not None else ()
        base = self._bases.get((absent, idle))
        if base is None:
            joined = self._scene.added.among({*names} - absent)
            cluster = joined.added_to(self._cluster)
            if devices is not None:
                cluster = devices.around(cluster, idle)
            base = (
                self._base if self._base is not None and not joined.nodes and devices is None else Snapshot.of(cluster)
            )
            self._bases[absent, idle] = base
        if any(state.bindings):
            base = base.with_cluster(self._scene.places.volumes.within(base.cluster, state.bindings))
        every = self._scene.places.state_pods.placed(state)
        found = base.with_pods((pod, names[index]) for index, _, phase, pod in every if phase != AWAITED)
        self._last = state, found
        return found

    def opening(self, state: State) -> str:
        """Describe which pods run where at the start, and how much is free there."""
        running: dict[str, dict[int, int]] = {}
        for number, kind in enumerate(self._kinds):
            for index, content in enumerate(state.nodes):
                count = count_on(content, number, READY, BROKEN)
                if count:
                    on = running.setdefault(self._named(kind), {})
                    on[index] = on.get(index, 0) + count
        parts = []
        for named, on in running.items():
            spread = [f"{count} on {self._names[index]}" for index, count in sorted(on.items())]
            parts.append(f"{named} run: {_listed(spread)}")
        parts += self._not_ready(state)
        parts += [self._waits(kind, state.waiting[number]) for number, kind in enumerate(self._kinds)]
        parts = [part for part in parts if part]
        snapshot = self.snapshot(state)
        used = [index for index, content in enumerate(state.nodes) if any(kind >= 0 for kind, _, _ in content)]
        free = [self._free(snapshot, self._names[index], self._request(state, index)) for index in used]
        left = _listed(list(dict.fromkeys(free)))
        return "; ".join([*parts, left] if left else parts) or "nothing runs"

    def _not_ready(self, state: State) -> list[str]:
        found = []
        for number, kind in enumerate(self._kinds):
            on = {index: count_on(content, number, BROKEN) for index, content in enumerate(state.nodes)}
            found += [
                f"{self._one(kind) if count == 1 else f'{count} of {self._named(kind)}'} on {self._names[index]} "
                f"{'is' if count == 1 else 'are'} not ready"
                for index, count in on.items()
                if count
            ]
        return found

    def _waits(self, kind: PodType, count: int) -> str:
        """Say that so many pods wait for a node at the start; empty if none does."""
        if count > 1:
            return f"{count} of {self._named(kind)} wait for a node"
        return f"{self._one(kind)} waits for a node" if count else ""

    def told(self, step: Step, following: State) -> TraceStep:
        """Describe one event."""
        name = self._names[step.node] if step.node >= 0 else ""
        if step.act in ("control", "create", "delete"):
            owner = self._scene.pod_types.reconcilers[step.reconciler].name
            controller = step.by or owner.split("/", maxsplit=1)[0]
            where = f" for {name}" if name else self._where(step)
            return TraceStep(f"{controller} controller", f"{self._whose(step.what, owner)}{where}", owner)
        kind = self._kinds[step.kind]
        owner, node = kind.owner, f"Node/{name}"
        if step.act == "bind":
            free = self._free(self.snapshot(following), name, kind.pod)
            pod = self._one(kind)
            return TraceStep("kube-scheduler", f"binds {pod} to {name}; {free}", owner, pod, name, free)
        if step.act == "preempt":
            victims = [self._kinds[victim] for victim, phase in step.victims if phase not in GOING]
            named = (
                ", ".join(f"{self._one(victim)} (priority {victim.priority})" for victim in victims) or "nobody else"
            )
            told = f"evicts {named} from {name} for {self._one(kind)} (priority {kind.priority})"
            return TraceStep("kube-scheduler", told, victims[0].owner if victims else owner)
        if step.act == "release":
            return TraceStep("kube-scheduler", f"no longer holds {name} for {self._one(kind)}", owner)
        if step.act == "add":
            return TraceStep("cluster autoscaler", f"adds {name} for {self._one(kind)}", owner)
        if step.act == "ready":
            return TraceStep(f"kubelet on {name}", f"{self._one(kind)} is ready", node)
        if step.act == "deallocate":
            return TraceStep("resource claim controller", "takes the devices of a claim back that nobody uses any more")
        word = "is gone" if step.act == "gone" else "ends"
        free = self._free(self.snapshot(following), name, kind.pod)
        return TraceStep(f"kubelet on {name}", f"{self._one(kind)} {word}; {free}", node)

    def _where(self, step: Step) -> str:
        """Name the nodes of the pods that an event deletes."""
        on = [(self._names[node], count) for node, _, count in step.deleted if node >= 0]
        if len(on) <= 1:
            return "".join(f" on {name}" for name, _ in on)
        return f": {_listed([f'{count} on {name}' for name, count in on])}"

    def ending(self, one: Waiting) -> TraceStep:
        """Say why a pod waits for ever."""
        word = "new pod" if one.new else "pod"
        pods = f"{one.count} {word}s" if one.count > 1 else f"the {word}{' ' * bool(one.pod)}{one.pod}"
        pods = f"{pods}{self._of(one.owner)}"
        if one.scheduler:
            return TraceStep("kube-scheduler", f"cannot place {pods}", one.owner, pods, scheduler=one.scheduler)
        kind = one.owner.split("/", maxsplit=1)[0]
        controller = "ReplicaSet" if kind == "Deployment" else kind
        if one.refusal is None:
            return TraceStep(f"{controller} controller", f"cannot create {pods}: ", one.owner)
        quota = f"ResourceQuota/{one.owner.split('/')[1]}/{one.refusal.quota}"
        if one.refusal.kind != PODS:
            message = f"cannot create a claim for {pods}: {one.refusal.text}"
            maker = "ephemeral volume" if one.refusal.kind == VOLUME_CLAIMS else "resource claim"
            return TraceStep(f"{maker} controller", message, quota)
        return TraceStep(f"{controller} controller", f"cannot create {pods}: {one.refusal.text}", quota)

    def _request(self, state: State, index: int) -> Pod:
        return next(self._kinds[kind].pod for kind, _, _ in state.nodes[index] if kind >= 0)

    def _free(self, snapshot: Snapshot, name: str, pod: Pod) -> str:
        node = snapshot.node(name)
        there = stock(pod, snapshot, name)
        if there is not None and there[1]:
            return f"{there[0]} of {there[1]} device{'s' * (there[1] > 1)} free on {name}"
        request = takes(pod)
        resource = next((found for found in request if "/" in found), next(iter(sorted(request))))
        if node is None:
            return name
        allocatable = node.node.allocatable.get(resource, 0)
        used = node.pod_count if resource == "pods" else node.used.get(resource, 0)
        left, whole = shown(resource, max(0, allocatable - used)), shown(resource, allocatable)
        return f"{left} of {whole} {resource} free on {name}"

    def _named(self, kind: PodType) -> str:
        word = "new pods" if kind.new else "old pods" if self._rolls(kind) else "pods"
        return f"the {word}{self._of(kind.owner)}"

    def _one(self, kind: PodType) -> str:
        word = "new pod" if kind.new else "old pod" if self._rolls(kind) else "pod"
        if kind.owner.startswith("Pod/") and not self._rolls(kind):
            return _owner_text(kind.owner)
        if kind.name:
            return f"{word} {kind.name}{self._of(kind.owner)}"
        return f"{'the' if self._rolls(kind) else 'a'} {word}{self._of(kind.owner)}"

    def _of(self, owner: str) -> str:
        return "" if self._alone else f" of {_owner_text(owner)}"

    def _whose(self, what: str, owner: str) -> str:
        """Name a controller's action, with the owner of the ReplicaSet or pod if there are several owners."""
        before, _, after = what.partition(WHOSE)
        whose = "" if self._alone or _owner_text(owner) in what else f" of {_owner_text(owner)}"
        return f"{before}{whose}{after.replace(WHOSE, '')}"

    def _rolls(self, kind: PodType) -> bool:
        return kind.reconciler >= 0 and self._scene.pod_types.reconcilers[kind.reconciler].rolls


def _owner_text(owner: str) -> str:
    """`kind/namespace/name` in the form that a sentence uses."""
    return owner.replace("/", " ", 1)


def _listed(parts: list[str]) -> str:
    if len(parts) <= TOLD.nodes:
        return ", ".join(parts)
    return f"{', '.join(parts[: TOLD.nodes])} and so on ({len(parts)} nodes)"
