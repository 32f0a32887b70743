"""The participants in a rollout: workloads with their running pods."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from kubelint_gpu.kube.objects.pod import DEFAULT_SCHEDULER, Pod, PodIdentifier, PodSpec
from kubelint_gpu.kube.objects.priority import PriorityClass, resolve_priority
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.selectors import NodeSelector
from kubelint_gpu.scheduler import merged
from kubelint_gpu.simulation.controllers.controller import Controller
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.controllers.ordinals import POD_LABELS, ordinal_pods
from kubelint_gpu.simulation.controllers.pod_type_builder import Change
from kubelint_gpu.simulation.prepare.pods_by_owner import pods_by_owner
from kubelint_gpu.values import replace

_ENDS = ("OnFailure", "Never")
_WITHOUT_PLACE = ("emptyDir", "configMap", "secret", "projected", "downwardAPI", "hostPath")


class WorkloadChange(Change, dict=True):
    """A change, with what its controller makes of it."""

    @cached_property
    def controller(self) -> Controller:
        """The controller of its pods from now on."""
        return controller_of(self.new)

    @property
    def temporary(self) -> bool:
        """Whether its pods end by themselves at some time."""
        return self.controller.terminates

    @property
    def ends_by_itself(self) -> bool:
        """Whether each of its pods ends by itself once it has a node, whatever the others do and wait for."""
        return self.temporary and not self.whole and not any(map(_waits_for_volumes, self.pods))

    @property
    def rolling(self) -> bool:
        """Whether its controller replaces its pods automatically."""
        controller = self.controller
        return self.rolls and controller.rolls and not controller.on_delete

    @property
    def replaces(self) -> bool:
        """Whether it has pods, and its controller replaces them."""
        return self.existing and self.rolling

    @property
    def in_any_order(self) -> bool:
        """Whether its pods are replaced by those of another template in any order, even while some of them wait."""
        controller = self.controller
        return self.replaces and self.old is not self.new and not (controller.has_ordinals or controller.node_bound)

    @cached_property
    def pods(self) -> tuple[Pod, ...]:
        """A pod of its old template, one of its new one, one for each ordinal if `numbered`, and the running pods."""
        return (created_pod(self.old, "old"), created_pod(self.new, "new"), *self.ordinals, *self.running)

    @property
    def ordinals(self) -> tuple[Pod, ...]:
        """If `numbered`, a pod of each ordinal, with its old template and with its new one."""
        if not (self.numbered and self.controller.has_ordinals):
            return ()
        return tuple(pod for one in (self.old, self.new) for pod in ordinal_pods(one, created_pod(one, "new")))

    @property
    def daemons(self) -> bool:
        """Whether each of its pods is created for one node."""
        return self.controller.node_bound

    @property
    def replicas(self) -> int:
        """How many pods it must have after the change."""
        return len(self.nodes) if self.daemons else self.new.replicas

    @property
    def before(self) -> int:
        """How many pods it has before the change."""
        if self.daemons:
            return len(self.standing)
        return self.replicas if self.settled else max(self.old.replicas, len(self.running))

    @property
    def renumbered(self) -> bool:
        """Whether the ordinals of its pods change: each new pod is created before an old one is deleted."""
        return self.controller.has_ordinals and controller_of(self.old).first_ordinal != self.controller.first_ordinal

    @property
    def counted(self) -> bool:
        """Whether its replicas alone tell how many places its rollout needs: not if its revisions differ in size."""
        apart = getattr(self.new.strategy, "revised", False) and self.rolling and self.before != self.replicas
        return self.controller.counted and not apart

    @property
    def hindered(self) -> bool:
        """Whether its pods have ordinals and one is known not to be ready, so that its rollout may not continue.

        With OrderedReady, its surplus pods stay then, too.
        """
        if not self.controller.has_ordinals or not (self.rolling or self.shrinks):
            return False
        return self.renumbered or bool(self.waiting) or any(pod.unready for pod in self.running)

    @property
    def shrinks(self) -> bool:
        """Whether it is known to delete its last ordinals, one after the other."""
        return self.known and self.controller.ordered and not self.settled and self.before > self.replicas

    @property
    def resumes(self) -> bool:
        """Whether its known pods decide how its rollout continues, and not only the number of places.

        A Deployment deletes unready pods first, which changes no number of places.
        """
        return self.hindered or (self.rolling and bool(self.waiting))

    @property
    def moves(self) -> bool:
        """Whether it changes at the same moment as others."""
        return not self.existing or (self.known and (self.rolling or self.moved or self.before != self.replicas))

    @property
    def kept(self) -> int:
        """How many pods keep the old template: those below a partition, or not yet deleted by somebody."""
        controller = self.controller
        if self.old is self.new or controller.node_bound:
            return 0
        if controller.on_delete:
            return self.undisturbed
        return min(controller.partition, self.replicas, self.before) if self.rolling else 0

    @property
    def keeps(self) -> int:
        """How many of its pods stay on their nodes: those that keep their template, or all without a rollout."""
        if self.old is self.new or self.daemons or self.temporary:
            return 0
        return self.kept if self.rolls else min(self.replicas, self.before)

    @property
    def staying(self) -> tuple[Pod, ...]:
        """The running pods that stay where they are, even if filters would refuse them today."""
        if not self.keeps or not self.controller.has_ordinals:
            return self.running[: self.keeps]
        first, name = self.controller.first_ordinal, self.new.meta.name
        kept = {f"{name}-{ordinal}" for ordinal in range(first, first + self.keeps)}
        return tuple(pod for pod in self.running if pod.meta.name in kept)

    @property
    def undisturbed(self) -> int:
        """How many pods stay until somebody deletes them: with OnDelete all that are not scaled down."""
        if self.old is self.new or not self.controller.on_delete:
            return 0
        return len({*self.standing}.intersection(self.nodes)) if self.daemons else min(self.replicas, self.old.replicas)


def joined(participants: Sequence[WorkloadChange], rolling: frozenset[int]) -> frozenset[int]:
    """The positions in `rolling`, and those of workloads that are replaced together with them."""
    objects = {participants[place].controller.waits_for for place in rolling} - {""}
    every = enumerate(participants) if objects else ()
    return rolling | {place for place, one in every if one.rolling and one.controller.waits_for in objects}


def unrolled(one: WorkloadChange) -> WorkloadChange:
    """Return the change without the fields that only decide how its pods are replaced, to compare it with others."""
    new = replace(one.new, strategy=None)
    return replace(one, new=new, old=new if one.old is one.new else replace(one.old, strategy=None))


def own_pods(workload: Workload, pods: tuple[Pod, ...]) -> tuple[Pod, ...]:
    """The running pods of a workload: by owner or, if none of them has an owner, by namespace and selector.

    Pods that its controller adopts are included.
    """
    controller = controller_of(workload)
    return running_pods(controller, pods_by_owner(pods).own(controller))


def running_pods(controller: Controller, own: Iterable[Pod]) -> tuple[Pod, ...]:
    """The running pods of a workload, from the pods that its controller owns or may own."""
    found = tuple(pod for pod in own if pod.spec.node_name and not pod.finished)
    return tuple(pod for pod in found if pod.meta.owner is not None or controller.adopts(pod)) or found


def pods_of_others(workloads: Iterable[Workload], pods: tuple[Pod, ...]) -> tuple[Pod, ...]:
    """The pods without the running pods of the workloads."""
    gone: set[PodIdentifier] = set()
    for controller in map(controller_of, workloads):
        gone.update(pod.identifier for pod in running_pods(controller, pods_by_owner(pods).own(controller, gone)))
    return tuple(pod for pod in pods if pod.identifier not in gone) if gone else pods


def own_waiting(workload: Workload, pods: tuple[Pod, ...]) -> tuple[Pod, ...]:
    """The pods of a workload that wait for a node now, without scheduling gates."""
    return tuple(pod for pod in pods_by_owner(pods).own(controller_of(workload)) if is_waiting(pod))


def is_waiting(pod: Pod, *, gated: bool = False) -> bool:
    """Whether the scheduler tries to place the pod; with `gated`, even if it has scheduling gates."""
    kept = pod.spec.scheduling_gates and not gated
    return not (pod.spec.node_name or pod.finished or pod.meta.terminating or kept)


def resolved_workload(workload: Workload, classes: Iterable[PriorityClass]) -> Workload:
    """The workload with its pods' priority as admission computes it.

    Raises:
        UnknownPriorityClass: its priority class does not exist.
    """
    found = resolve_priority(workload.spec, classes)
    return replace(
        workload, spec=replace(workload.spec, priority=found.value, preemption_policy=found.preemption_policy)
    )


def created_pod(workload: Workload, revision: str, name: str = "") -> Pod:
    """A pod as the workload's controller creates it; `revision` distinguishes the templates."""
    pod = merged(controller_of(workload).pod(revision, name))
    return interchangeable(replace(pod, spec=replace(pod.spec, scheduling_gates=())))


def owned_pod(workload: Workload, revision: str) -> Pod:
    """A pod as the workload's controller creates it, with its owner."""
    pod = created_pod(workload, revision)
    return replace(pod, meta=pod.meta.made_by(workload.key))


def interchangeable(pod: Pod) -> Pod:
    """The pod without the fields that distinguish it from others of its workload and that no scheduler looks at.

    All schedulers are assumed to filter as kube-scheduler does. Gates of a template are assumed to be lifted; a known
    pod with gates waits until it is deleted.
    """
    spec = replace(
        pod.spec,
        scheduler_name=DEFAULT_SCHEDULER,
        volumes=tuple(replace(volume, name="") for volume in pod.spec.volumes if volume.kind not in _WITHOUT_PLACE),
    )
    spec = nowhere(spec) if spec.scheduling_gates else spec
    return replace(pod, spec=spec, nominated_node_name="", claim_statuses=EMPTY, allocations=())


def _waits_for_volumes(pod: Pod) -> bool:
    """Whether the pod can be bound and never start, because a volume is attached to another node."""
    return any(volume.kind not in _WITHOUT_PLACE for volume in pod.spec.volumes)


def nowhere(spec: PodSpec) -> PodSpec:
    """The spec with a node affinity that no node meets."""
    return replace(spec, node_affinity=NodeSelector(()))


def without_claims(pod: Pod) -> Pod:
    """The pod without its resource claims."""
    return replace(pod, spec=replace(pod.spec, resource_claims=()))


def anonymous(pod: Pod) -> Pod:
    """A running pod without what distinguishes it from equal ones: name, node and age."""
    pod = interchangeable(pod)
    labels = pod.meta.labels
    if any(key in labels for key in POD_LABELS):
        labels = FrozenMap({key: value for key, value in labels.items() if key not in POD_LABELS})
    meta = replace(pod.meta, uid="", labels=labels, annotations=EMPTY, created="")
    return replace(
        pod, meta=meta, spec=replace(pod.spec, node_name=""), start_time="", phase="Pending", ready=False, unready=False
    )


def identity(pod: Pod) -> tuple[object, ...]:
    """A key that is equal for pods that differ only in name, node and age."""
    found = anonymous(pod)
    return (found.meta.namespace, found.meta.labels, found.spec, found.statuses, found.meta.terminating)


def owner_of(pod: Pod) -> str:
    """`kind/namespace/name` of the pod's owner; empty if it has none."""
    return pod.meta.maker.key if pod.meta.owner is not None else ""


def is_temporary(pod: Pod) -> bool:
    """Whether the pod ends by itself at some time."""
    return pod.spec.restart_policy in _ENDS or (pod.meta.owner is not None and pod.meta.owner.kind == "Job")
