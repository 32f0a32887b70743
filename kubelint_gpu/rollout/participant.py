"""Who takes part in a rollout: workloads, what runs of them, and the pods that each puts on the stage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kubelint_gpu.kube.pod import Pod
from kubelint_gpu.kube.priority import PriorityClass, resolve_priority
from kubelint_gpu.kube.rolling import DeploymentStrategy, JobStrategy
from kubelint_gpu.kube.workload import Workload
from kubelint_gpu.rollout.actor import Actor, Kind
from kubelint_gpu.rollout.deployment_actor import DeploymentActor
from kubelint_gpu.rollout.replica_set import Steady
from kubelint_gpu.scheduler import merged

_ENDS = ("OnFailure", "Never")


@dataclass(frozen=True, slots=True)
class Participant:
    """A workload as it shall be, as it was, and the pods of it that are known to run.

    `new` and `old` are the same workload where only the template's hash changes.
    """

    new: Workload
    old: Workload
    running: tuple[Pod, ...] = ()

    @property
    def temporary(self) -> bool:
        """Whether its pods end by themselves some day."""
        return isinstance(self.new.strategy, JobStrategy) or self.new.spec.restart_policy in _ENDS


@dataclass(frozen=True, slots=True)
class Cast:
    """The kinds and actors of an exploration.

    Attributes:
        kinds: what the pods are.
        actors: who looks after them.
        wanted: how many pods of each kind run before anything is rolled.
        homes: nodes on which pods of a kind are known to run, as (kind, node name).
        optional: kinds that may wait at the start without anything being wrong (Jobs queue).
    """

    kinds: tuple[Kind, ...]
    actors: tuple[Actor, ...]
    wanted: tuple[int, ...]
    homes: tuple[tuple[int, str], ...] = ()
    optional: frozenset[int] = frozenset()


def cast(participants: Sequence[Participant], rolling: frozenset[int], outsiders: Sequence[Pod] = ()) -> Cast:
    """Put workloads and evictable pods of others on the stage; `rolling` are the positions of those rolled out."""
    kinds: list[Kind] = []
    actors: list[Actor] = []
    wanted: list[int] = []
    homes: list[tuple[int, str]] = []
    optional: set[int] = set()
    for number, participant in enumerate(participants):
        old = len(kinds)
        temporary = participant.temporary
        kinds.append(Kind(_old_pod(participant), -1 if temporary else len(actors), temporary=temporary))
        replicas = participant.old.replicas
        wanted.append(replicas)
        homes += [(old, pod.spec.node_name) for pod in participant.running[:replicas]]
        strategy = participant.new.strategy
        if temporary:
            optional.add(old)
        elif number in rolling and isinstance(strategy, DeploymentStrategy):
            kinds.append(Kind(merged(participant.new.pod(participant.new.meta.name, "new")), len(actors), new=True))
            wanted.append(0)
            actors.append(
                DeploymentActor(participant.new.key, strategy, participant.new.replicas, replicas, old=old, new=old + 1)
            )
        else:
            actors.append(Steady(participant.new.key, old, replicas))
    for owner, pods in _grouped(outsiders):
        kind = len(kinds)
        sample = pods[0]
        kinds.append(
            Kind(
                replace(sample, spec=replace(sample.spec, node_name="")),
                len(actors) if owner else -1,
                temporary=_is_temporary(sample),
            )
        )
        wanted.append(len(pods))
        homes += [(kind, pod.spec.node_name) for pod in pods]
        if owner and not _is_temporary(sample):
            actors.append(Steady(owner, kind, len(pods)))
    return Cast(tuple(kinds), tuple(actors), tuple(wanted), tuple(homes), frozenset(optional))


def own_pods(workload: Workload, pods: Iterable[Pod]) -> tuple[Pod, ...]:
    """The running pods that belong to a workload: by owner, or by namespace and selector where they have none."""
    return tuple(pod for pod in pods if not pod.finished and pod.spec.node_name and _belongs(workload, pod))


def _belongs(workload: Workload, pod: Pod) -> bool:
    if pod.meta.namespace != workload.meta.namespace:
        return False
    owner = pod.meta.owner
    name = workload.meta.name
    if owner is not None:
        if owner.kind == "ReplicaSet" and workload.kind == "Deployment":
            return owner.name.rpartition("-")[0] == name
        if owner.kind == "Job" and workload.kind == "CronJob":
            return owner.name.rpartition("-")[0] == name
        return owner.kind == workload.kind and owner.name == name
    if workload.kind == "Pod":
        return pod.meta.name == name
    return (
        workload.selector is not None
        and bool(workload.selector.requirements)
        and workload.selector.matches(pod.meta.labels)
    )


def resolved_workload(workload: Workload, classes: Iterable[PriorityClass]) -> Workload:
    """The workload with its pods' priority as admission computes it.

    Raises:
        UnknownPriorityClass: it names a class that does not exist.
    """
    found = resolve_priority(workload.spec, classes)
    return replace(
        workload, spec=replace(workload.spec, priority=found.value, preemption_policy=found.preemption_policy)
    )


def _old_pod(participant: Participant) -> Pod:
    """What runs now: the pods that are known to, else what the old template gives."""
    if participant.running:
        sample = participant.running[0]
        return replace(sample, spec=replace(sample.spec, node_name=""))
    revision = "old" if participant.old.kind == "Deployment" else ""
    return merged(participant.old.pod(participant.old.meta.name, revision))


def _grouped(pods: Sequence[Pod]) -> list[tuple[str, list[Pod]]]:
    """Pods that nothing tells apart but their node, with their owner."""
    groups: dict[tuple[object, ...], list[Pod]] = {}
    for pod in pods:
        owner = pod.meta.owner
        name = f"{owner.kind}/{pod.meta.namespace}/{owner.name}" if owner else ""
        identity = (name, pod.meta.namespace, pod.meta.labels, replace(pod.spec, node_name=""))
        groups.setdefault(identity if name else (*identity, pod.meta.name), []).append(pod)
    return [(str(identity[0]), members) for identity, members in groups.items()]


def _is_temporary(pod: Pod) -> bool:
    return pod.spec.restart_policy in _ENDS or (pod.meta.owner is not None and pod.meta.owner.kind == "Job")
