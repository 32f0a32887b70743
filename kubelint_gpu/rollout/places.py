"""Where pods can go: every answer is the scheduler core's, remembered per kind and content of a node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kubelint_gpu.kube.cluster import Cluster
from kubelint_gpu.kube.pod import Pod
from kubelint_gpu.kube.quota import quota_refusal
from kubelint_gpu.rollout.actor import Kind
from kubelint_gpu.rollout.model import Eviction
from kubelint_gpu.rollout.state import LEAVING, NOMINATED, READY, Content, State
from kubelint_gpu.scheduler import Snapshot, attempt, fit

_READ_WRITE_ONCE = "ReadWriteOnce"


class Places:
    """The nodes of one exploration.

    Attributes:
        names: the nodes, class by class.
        classes: positions of nodes that no pod in play can tell apart.
    """

    def __init__(
        self,
        cluster: Cluster,
        kinds: tuple[Kind, ...],
        names: tuple[str, ...],
        classes: tuple[range, ...],
        local: tuple[bool, ...],
    ) -> None:
        self.names = names
        self.classes = classes
        self._kinds = kinds
        self._local = local
        self._base = Snapshot.of(cluster)
        self._quotas = tuple(quota for quota in cluster.quotas if quota.counted)
        self._fixed = cluster.pods
        self._positions = {name: position for position, name in enumerate(names)}
        self._class_of = tuple(number for number, members in enumerate(classes) for _ in members)
        self._single = [_alone(cluster, names[members.start]) for members in classes]
        self._pods: tuple[list[list[Pod]], ...] = ([[] for _ in kinds], [[] for _ in kinds])
        self._fits: dict[tuple[int, int, Content], bool] = {}
        self._everywhere: dict[tuple[int, tuple[Content, ...]], tuple[int, ...]] = {}
        self._evicted: dict[tuple[int, tuple[Content, ...]], tuple[Eviction, ...]] = {}
        self._may_evict = tuple(
            any(other.priority < kind.priority for other in kinds) and kind.pod.spec.preemption_policy != "Never"
            for kind in kinds
        )
        self._claims = tuple(frozenset(_exclusive_claims(kind.pod, cluster)) for kind in kinds)

    def fitting(self, kind: int, state: State, nominated: int | None = None) -> Sequence[int]:
        """The nodes on which a waiting pod of a kind fits; `nominated` is the node it is nominated to."""
        if self._local[kind]:
            return [
                index
                for index, content in enumerate(state.nodes)
                if self._fits_on(kind, index, self._facing(kind, content, index == nominated))
            ]
        contents = tuple(self._facing(kind, content, index == nominated) for index, content in enumerate(state.nodes))
        found = self._everywhere.get((kind, contents))
        if found is None:
            result = fit(self._kinds[kind].pod, self.snapshot(contents))
            found = tuple(sorted(self._positions[name] for name in result.fits if name in self._positions))
            self._everywhere[kind, contents] = found
        return found

    def evictions(self, kind: int, state: State) -> Sequence[Eviction]:
        """What preemption may do for a waiting pod that fits nowhere."""
        if not self._may_evict[kind]:
            return ()
        contents = tuple(self._facing(kind, content, False) for content in state.nodes)
        found = self._evicted.get((kind, contents))
        if found is None:
            found = self._evicted[kind, contents] = tuple(self._chosen(kind, contents))
        return found

    def may_create(self, kind: int, state: State) -> bool:
        """Whether one more pod of a kind passes the quotas; terminating pods still count."""
        return not self._quotas or self.refusal(kind, state) is None

    def refusal(self, kind: int, state: State) -> str | None:
        """The text with which a quota refuses one more pod of a kind."""
        existing = [*self._fixed, *(pod for _, _, _, pod in self.placed(state.nodes))]
        for other, count in enumerate(state.waiting):
            existing += self._numbered(other, count)
        return quota_refusal(self._kinds[kind].pod, self._quotas, existing)

    def starts(self, kind: int, node: int, state: State) -> bool:
        """Whether a bound pod can become ready: no other node still holds a volume it needs for itself."""
        claims = self._claims[kind]
        if not claims:
            return True
        return not any(
            claims & self._claims[other]
            for index, content in enumerate(state.nodes)
            if index != node
            for other, phase, _ in content
            if phase != NOMINATED
        )

    def capacity(self, kind: int, enough: int) -> int:
        """How many pods of a kind fit at once beside what stays; counting stops at `enough`.

        Exact for a kind whose fit on a node depends on that node alone.
        """
        total = 0
        for number, members in enumerate(self.classes):
            snapshot, name = self._single[number]
            each = 0
            for pod in self._numbered(kind, enough):
                if not fit(pod, snapshot).fits:
                    break
                snapshot = snapshot.place(pod, name)
                each += 1
            total += each * len(members)
            if total >= enough:
                return enough
        return total

    def snapshot(self, nodes: tuple[Content, ...]) -> Snapshot:
        """The cluster with these contents on its nodes."""
        found = self._base
        for index, _, _, pod in self.placed(nodes):
            found = found.place(pod, self.names[index])
        return found

    def placed(self, nodes: tuple[Content, ...]) -> Iterator[tuple[int, int, int, Pod]]:
        """Each pod on the nodes, as (node, kind, phase, pod)."""
        numbers = [0] * len(self._kinds)
        for index, content in enumerate(nodes):
            for kind, phase, count in content:
                first = numbers[kind]
                numbers[kind] += count
                for pod in self._numbered(kind, first + count, leaving=phase == LEAVING)[first:]:
                    yield index, kind, phase, pod

    def _numbered(self, kind: int, count: int, *, leaving: bool = False) -> list[Pod]:
        pods = self._pods[leaving][kind]
        pod = self._kinds[kind].pod
        while len(pods) < count:
            name = f"{pod.meta.name}-{kind}.{len(pods)}"
            pods.append(replace(pod, meta=replace(pod.meta, name=name, uid=name, terminating=leaving)))
        return pods[:count]

    def _facing(self, kind: int, content: Content, at_home: bool) -> Content:
        """What a pod of this kind finds on a node: nominated pods count for it unless their priority is lower."""
        if all(phase != NOMINATED for _, phase, _ in content):
            return content
        seen = []
        for other, phase, count in content:
            if phase == NOMINATED:
                mine = 1 if at_home and other == kind else 0
                if self._kinds[other].priority < self._kinds[kind].priority or count == mine:
                    continue
                seen.append((other, phase, count - mine))
            else:
                seen.append((other, phase, count))
        return tuple(seen)

    def _fits_on(self, kind: int, index: int, content: Content) -> bool:
        number = self._class_of[index]
        plain = _plain(content)
        key = (kind, number, plain)
        found = self._fits.get(key)
        if found is None:
            snapshot, name = self._single[number]
            for other, _, count in plain:
                for pod in self._numbered(other, count):
                    snapshot = snapshot.place(pod, name)
            found = self._fits[key] = bool(fit(self._kinds[kind].pod, snapshot).fits)
        return found

    def _chosen(self, kind: int, contents: tuple[Content, ...]) -> Iterator[Eviction]:
        snapshot = self._base
        phases: dict[str, tuple[int, int]] = {}
        for index, other, phase, pod in self.placed(contents):
            if phase != NOMINATED:
                phases[pod.key] = (other, phase)
                snapshot = snapshot.place(pod, self.names[index])
        result = attempt(self._kinds[kind].pod, snapshot).preemption
        if result is None or not result.succeeds:
            return
        for choice in result.best:
            if choice.node in self._positions:
                yield Eviction(self._positions[choice.node], tuple(phases[victim.key] for victim in choice.victims))


def _alone(cluster: Cluster, name: str) -> tuple[Snapshot, str]:
    nodes = tuple(node for node in cluster.nodes if node.name == name)
    pods = tuple(pod for pod in cluster.pods if pod.spec.node_name == name)
    return Snapshot.of(replace(cluster, nodes=nodes, pods=pods)), name


def _plain(content: Content) -> Content:
    """Phases do not matter to the filters: everything on the node counts."""
    counts: dict[int, int] = {}
    for kind, _, count in content:
        counts[kind] = counts.get(kind, 0) + count
    return tuple((kind, READY, count) for kind, count in sorted(counts.items()))


def _exclusive_claims(pod: Pod, cluster: Cluster) -> Iterator[str]:
    """Claims of which one node at a time can attach the volume: every access mode is ReadWriteOnce."""
    modes = {(claim.meta.namespace, claim.meta.name): claim.access_modes for claim in cluster.claims}
    for volume in pod.spec.volumes:
        if volume.kind == "persistentVolumeClaim":
            name = str(volume.source.get("claimName", ""))
            found = modes.get((pod.meta.namespace, name))
            if found and all(mode == _READ_WRITE_ONCE for mode in found):
                yield f"{pod.meta.namespace}/{name}"
