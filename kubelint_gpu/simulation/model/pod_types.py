"""The pods and controllers of one exploration."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.rolling import DaemonSetStrategy, DeploymentStrategy, StatefulSetStrategy
from kubelint_gpu.simulation.controllers.controller import Controller, PodType
from kubelint_gpu.simulation.controllers.daemon_set_actor import DaemonSetActor
from kubelint_gpu.simulation.controllers.deployment_actor import DeploymentActor
from kubelint_gpu.simulation.controllers.replica_set import Steady
from kubelint_gpu.simulation.controllers.stateful_set import has_max_unavailable
from kubelint_gpu.simulation.controllers.stateful_set_actor import StatefulSetActor
from kubelint_gpu.simulation.prepare.ordinals import ordinal_pod, with_claims
from kubelint_gpu.simulation.prepare.revisions import revisions, revisions_with_waiting
from kubelint_gpu.simulation.prepare.workload_change import (
    DELETION_COST,
    WorkloadChange,
    anonymous,
    created_pod,
    identity,
    is_temporary,
    owner_of,
)
from kubelint_gpu.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class PodTypes:
    """The kinds and actors of an exploration.

    Attributes:
        kinds: what the pods are.
        actors: who looks after them.
        wanted: how many pods of each kind run before anything is rolled.
        sure: how many of them have their places before pods that are made anew look for one.
        homes: nodes on which pods of a kind are known to run, as (kind, node name).
        unready: those of them on which a pod is not ready now, and may never be.
        pending: how many more pods of each kind wait for a node when everything begins.
        optional: kinds that may wait at the start without anything being wrong (Jobs queue).
        members: per participant, the kinds that are its own.
    """

    kinds: tuple[PodType, ...]
    actors: tuple[Controller, ...]
    wanted: tuple[int, ...]
    sure: tuple[int, ...]
    homes: tuple[tuple[int, str], ...] = ()
    unready: tuple[tuple[int, str], ...] = ()
    pending: tuple[int, ...] = ()
    optional: frozenset[int] = frozenset()
    members: tuple[tuple[int, ...], ...] = ()


class _Casting:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.kinds: list[PodType] = []
        self.actors: list[Controller] = []
        self.wanted: list[int] = []
        self.sure: list[int] = []
        self.homes: list[tuple[int, str]] = []
        self.unready: list[tuple[int, str]] = []
        self.pending: list[int] = []
        self.optional: set[int] = set()

    def kind(
        self,
        pod: Pod,
        wanted: int,
        owner: str,
        running: Sequence[Pod] = (),
        sure: int | None = None,
        pending: int = 0,
        **more: bool,
    ) -> int:
        """One more kind; `running` are pods of it whose nodes are known, and all are `sure` where that is not told.

        `pending` more wait for a node.
        """
        number = len(self.kinds)
        nobody = more.get("temporary", False) or not owner
        ranked = len({pod.meta.annotations.get(DELETION_COST) for pod in running}) > 1
        self.kinds.append(PodType(pod, -1 if nobody else len(self.actors), ranked=ranked, owner=owner, **more))
        self.wanted.append(wanted)
        self.pending.append(pending)
        self.sure.append(wanted if sure is None else sure)
        self.homes += [(number, pod.spec.node_name) for pod in running]
        return number

    def not_ready(self, kind: int, pods: Sequence[Pod]) -> None:
        """Note where pods of a kind run that are not ready."""
        self.unready += [(kind, pod.spec.node_name) for pod in pods if pod.unready]


def build_pod_types(
    participants: Sequence[WorkloadChange],
    rolling: frozenset[int],
    outsiders: Sequence[Pod],
    cluster: Cluster,
    scaling: frozenset[int] = frozenset(),
    queued: Sequence[Pod] = (),
) -> PodTypes:
    """Put workloads and evictable pods of others on the stage; `rolling` are the positions of those rolled out.

    Those at the positions of `scaling` have at first what they had, and come to their replicas meanwhile.
    `queued` are pods of others that wait for a node when it begins.
    """
    casting = _Casting(cluster)
    members = []
    for number, participant in enumerate(participants):
        first = len(casting.kinds)
        _enter(casting, participant, number in rolling, number in scaling)
        members.append(tuple(range(first, len(casting.kinds))))
    for owner, pods in _grouped(outsiders):
        _enter_outsiders(casting, owner, pods)
    for owner, pods in _grouped(queued):
        _enter_queued(casting, owner, pods)
    return PodTypes(
        tuple(casting.kinds),
        tuple(casting.actors),
        tuple(casting.wanted),
        tuple(casting.sure),
        tuple(casting.homes),
        tuple(casting.unready),
        tuple(casting.pending),
        frozenset(casting.optional),
        tuple(members),
    )


def _enter(casting: _Casting, participant: WorkloadChange, rolling: bool, scaling: bool) -> None:
    strategy = participant.new.strategy
    key = participant.new.key
    if participant.temporary:
        running = participant.running
        pod = anonymous(running[0]) if running else created_pod(participant.old, "old")
        number = casting.kind(pod, participant.before, key, running, temporary=True)
        casting.optional.add(number)
        if participant.whole:
            casting.kinds[number] = replace(casting.kinds[number], whole=participant.before)
    elif isinstance(strategy, DaemonSetStrategy):
        _enter_daemons(casting, participant, strategy, rolling, comes=scaling and not participant.existing)
    elif rolling and isinstance(strategy, DeploymentStrategy):
        every = revisions_with_waiting(participant)
        sure = None if participant.existing else 0
        old = tuple(casting.kind(pod, count, key, pods, sure, waits) for pod, count, pods, waits in every)
        for number, (_, _, pods, _) in zip(old, every, strict=True):
            casting.not_ready(number, pods)
        new = casting.kind(created_pod(participant.new, "new"), 0, key, new=True)
        if strategy.min_ready_seconds:
            # a pod that is ready and not yet available ranks like any other that is ready
            for number in (*old, new):
                casting.kinds[number] = replace(casting.kinds[number], ranked=True)
        counts = tuple(count + waits for _, count, _, waits in every)
        rescaled = participant.before != participant.replicas
        casting.actors.append(DeploymentActor(key, strategy, participant.replicas, counts, old, new, rescaled))
    elif rolling and isinstance(strategy, StatefulSetStrategy):
        _enter_ordinals(casting, participant, strategy)
    else:
        _enter_steady(casting, participant, scaling)


def _enter_steady(casting: _Casting, participant: WorkloadChange, scaling: bool) -> None:
    """One that is not rolled: with all its replicas, or with what runs before it is scaled."""
    key, replicas = participant.new.key, participant.replicas
    comes = participant.known or not participant.existing
    first = participant.sure if scaling else max(participant.before, replicas if comes else 0)
    sure, more = participant.sure, replicas - first
    found = revisions(participant, first)
    for place, (pod, count, pods) in enumerate(found):
        number = casting.kind(pod, count, key, pods, min(sure, count))
        sure -= min(sure, count)
        if participant.new.kind == "Pod":
            casting.kinds[number] = replace(casting.kinds[number], actor=-1)
            continue
        last = place == len(found) - 1
        casting.actors.append(Steady(key, number, max(0, count + more) if scaling and last else count))


def _enter_daemons(
    casting: _Casting, participant: WorkloadChange, strategy: DaemonSetStrategy, rolling: bool, *, comes: bool
) -> None:
    """A DaemonSet; where it `comes` meanwhile, none of its pods is there at first."""
    key, standing = participant.new.key, participant.standing
    sure = None if participant.existing else 0
    there = () if comes else standing
    old = casting.kind(created_pod(participant.old, "old"), len(there), key, (), sure, pinned=True)
    casting.homes += [(old, name) for name in there]
    if rolling:
        casting.not_ready(old, [pod for pod in participant.running if pod.spec.node_name in standing])
        new = casting.kind(created_pod(participant.new, "new"), 0, key, new=True, pinned=True)
        casting.actors.append(
            DaemonSetActor(key, strategy, participant.nodes, old, new, participant.left, participant.stays)
        )
    else:
        makes = tuple(name for name in standing if name not in participant.stays)
        casting.actors.append(DaemonSetActor(key, strategy, makes, old))


def _enter_ordinals(casting: _Casting, participant: WorkloadChange, strategy: StatefulSetStrategy) -> None:
    key, first = participant.new.key, strategy.first_ordinal
    running = {pod.meta.name: pod for pod in (*participant.waiting, *participant.running)}
    before, after = participant.old.replicas, participant.replicas
    old: list[int] = []
    new: list[int] = []
    # the pods after one that is not ready are not made: those that are known are all that there are
    blocked = False
    for ordinal in range(first, first + max(before, after)):
        name = f"{participant.new.meta.name}-{ordinal}"
        found = running.get(name)
        pod = anonymous(found) if found is not None else created_pod(participant.old, "old", name)
        pod = with_claims(ordinal_pod(pod, name, ordinal), participant.old.meta.name, ordinal, casting.cluster)
        waits = found is not None and not found.spec.node_name
        wanted = 1 if not waits and (found is not None or (ordinal < first + before and not blocked)) else 0
        blocked = blocked or (not strategy.parallel and found is not None and (waits or found.unready))
        known = (found,) if found is not None and wanted else ()
        old.append(casting.kind(pod, wanted, key, known, wanted if participant.existing else 0, int(waits)))
        casting.not_ready(old[-1], known)
        pod = ordinal_pod(created_pod(participant.new, "new", name), name, ordinal)
        pod = with_claims(pod, participant.new.meta.name, ordinal, casting.cluster)
        new.append(casting.kind(pod, 0, key, new=True))
    gate = has_max_unavailable(casting.cluster.version)
    casting.actors.append(StatefulSetActor(key, strategy, after, tuple(old), tuple(new), gate))


def _enter_outsiders(casting: _Casting, owner: str, pods: Sequence[Pod]) -> None:
    pod = anonymous(pods[0])
    if owner.startswith("DaemonSet/"):
        pod = replace(pod, spec=replace(pod.spec, node_affinity=None))
        number = casting.kind(pod, len(pods), owner, pods, pinned=True)
        nodes = tuple(one.spec.node_name for one in pods)
        casting.actors.append(DaemonSetActor(owner, DaemonSetStrategy(), nodes, number))
        return
    temporary = is_temporary(pod)
    number = casting.kind(pod, len(pods), owner or f"Pod/{pod.key}", pods, temporary=temporary)
    if temporary or not owner:
        casting.kinds[number] = replace(casting.kinds[number], actor=-1)
    else:
        casting.actors.append(Steady(owner, number, len(pods)))


def _enter_queued(casting: _Casting, owner: str, pods: Sequence[Pod]) -> None:
    number = casting.kind(anonymous(pods[0]), 0, owner or f"Pod/{pods[0].key}", pending=len(pods))
    if owner:
        casting.actors.append(Steady(owner, number, len(pods)))
    else:
        casting.kinds[number] = replace(casting.kinds[number], actor=-1)


def _grouped(pods: Sequence[Pod]) -> list[tuple[str, list[Pod]]]:
    """Pods that nothing tells apart but their node and their age, with their owner."""
    groups: dict[tuple[object, ...], list[Pod]] = {}
    owners: list[str] = []
    for pod in pods:
        owner = owner_of(pod)
        same = identity(pod)
        if owner.startswith("DaemonSet/") and pod.spec.node_name:
            same = ("DaemonSet", pod.meta.labels, pod.spec.priority)
        key = (owner, *same) if owner else (owner, *same, pod.meta.name)
        if key not in groups:
            owners.append(owner)
        groups.setdefault(key, []).append(pod)
    return list(zip(owners, groups.values(), strict=True))
