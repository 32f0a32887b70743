"""The controller of a workload: its properties before any simulation, and how its pods are added to one.

There are two layers. A `Controller` describes its workload as written. A `Reconciler` is its state machine in one
search. `controller_of` creates the first, and its `add_pods` adds the second.
"""

from __future__ import annotations

from collections.abc import Hashable

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.meta import OwnerReference
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.rolling import IntOrPercent, JobStrategy, WrittenStrategy
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.kube.values.fields import INT32
from kubelint_gpu.simulation.controllers.pod_type_builder import PodTypeBuilder
from kubelint_gpu.values import Value, replace

_ENDS = ("OnFailure", "Never")


def rolling_update_pointers(rolling: Pointer) -> tuple[Pointer, ...]:
    """The fields that decide how a workload rolls, the most exact first."""
    return (*rolling, "maxUnavailable"), (*rolling, "maxSurge"), rolling, rolling[:-1]


class Controller(Value):
    """The controller of one workload; by default it rolls nothing out."""

    workload: Workload

    # how pods are made

    node_bound = False
    """Whether it makes one pod for each node that it chooses, instead of a number of them."""

    has_ordinals = False
    """Whether each pod has a name and an ordinal that its successor takes over."""

    @property
    def ordered(self) -> bool:
        """Whether it creates the pods one after the other, each after the previous one is available."""
        return False

    @property
    def first_ordinal(self) -> int:
        """The lowest ordinal."""
        return getattr(self.workload.strategy, "first_ordinal", 0)

    @property
    def revision_kind(self) -> str:
        """The kind of the object that the controller creates for each template; empty if there is none."""
        return ""

    has_replica_sets = False
    """Whether new pods are made while old ones still terminate, and it scales before it rolls.

    So do Deployments, which make a ReplicaSet for each template, and custom resources like them.
    """

    @property
    def leaves_first(self) -> bool:
        """Whether its fields can demand that an old pod is deleted before its successor is created."""
        return False

    has_scale = True
    """Whether its kind has a scale subresource, so that a PodDisruptionBudget can take a share of its replicas."""

    replaces_lost = True
    """Whether a pod that is lost is made again; a bare pod is not."""

    runs_to_completion = False
    """Whether it makes pods that end, as a Job does."""

    @property
    def terminates(self) -> bool:
        """Whether its pods end by themselves at some time."""
        return self.runs_to_completion or self.workload.spec.restart_policy in _ENDS

    @property
    def knows_own_pods(self) -> bool:
        """Whether it can identify its own pods; a custom resource without a selector cannot."""
        return self.workload.selector is not None or not self.workload.custom

    def pod(self, revision: str, name: str = "") -> Pod:  # noqa: ARG002 - of a controller that rolls
        """Return a pod as the controller creates it; `revision` distinguishes the templates."""
        return self.workload.pod(name or self.workload.meta.name)

    def owns(self, pod: Pod) -> bool:
        """Whether a pod of the workload's namespace belongs to it: by owner, or by selector if the pod has no owner.

        A pod without an owner may belong to a custom resource, which has no selector.
        """
        if pod.meta.owner is not None:
            return self.is_owner(pod.meta.owner)
        selector = self.workload.selector
        if selector is None:
            return not self.knows_own_pods
        return bool(selector.requirements) and selector.matches(pod.meta.labels)

    def adopts(self, pod: Pod) -> bool:
        """Whether it adopts a bare pod: its labels match and, for a StatefulSet, its name has a valid ordinal.

        A Deployment's pods also have the hash of their template.
        """
        workload, first = self.workload, self.first_ordinal
        ordinals = range(first, first + workload.replicas) if self.has_ordinals else ()
        named = any(pod.meta.name == f"{workload.meta.name}-{ordinal}" for ordinal in ordinals)
        takes = named or workload.kind in ("ReplicaSet", "ReplicationController", "DaemonSet")
        return takes and pod.meta.namespace == workload.meta.namespace and pod.meta.owner is None and self.owns(pod)

    def is_owner(self, owner: OwnerReference) -> bool:
        """Whether a reference names the workload, or an object that its controller creates for the pods.

        The controller of a custom resource names its objects after the resource, and they may be of any kind.
        """
        name = self.workload.meta.name
        if not self.knows_own_pods:
            return owner.name.startswith(self.workload.name_kept)
        if owner.kind == self.dependent:
            return owner.name.rpartition("-")[0] == name
        return owner.kind == self.workload.kind and owner.name == name

    @property
    def dependent(self) -> str:
        """The kind of the created objects that own the pods; empty if the workload owns them itself."""
        return self.revision_kind if self.has_replica_sets else ""

    def has_own_claims(self, cluster: Cluster) -> bool:  # noqa: ARG002 - the controllers with ordinals look at it
        """Whether the cluster has claims for single pods of the workload."""
        return False

    # how a new template reaches the pods

    rolls = False
    """Whether a new template replaces pods, at once or when somebody lets it."""

    @property
    def on_delete(self) -> bool:
        """Whether a new template replaces a pod only after somebody deletes the pod."""
        return False

    @property
    def paused(self) -> bool:
        """Whether its rollout is paused."""
        return getattr(self.workload.strategy, "paused", False)

    @property
    def partition(self) -> int:
        """How many pods keep their template, counted from the first ordinal."""
        return getattr(self.workload.strategy, "partition", 0)

    @property
    def withheld(self) -> int:
        """How many ordinals keep the old template for now; INT32 stands for all of them."""
        return INT32 if self.paused or (self.rolls and self.on_delete) else self.partition

    @property
    def recreates(self) -> bool:
        """Whether all old pods are gone before the first new pod is created."""
        return getattr(self.workload.strategy, "recreate", False)

    @property
    def max_surge(self) -> IntOrPercent | None:
        """The written value, or the default; None if its kind has no such field."""
        return getattr(self.workload.strategy, "max_surge", None)

    @property
    def max_unavailable(self) -> IntOrPercent | None:
        """The written value, or the default; None if its kind has no such field."""
        return getattr(self.workload.strategy, "max_unavailable", None)

    @property
    def why_kept(self) -> str:
        """Why old pods stay in a rollout, as a clause, if no numeric field says it; else empty."""
        return getattr(self.workload.strategy, "why", "")

    @property
    def remedy(self) -> str:
        """Return help for a rollout that needs less room, if no fix says it; else empty."""
        return getattr(self.workload.strategy, "remedy", "")

    @property
    def strategy_pointers(self) -> tuple[Pointer, ...]:
        """The fields that decide how it rolls, the most exact first."""
        return rolling_update_pointers(("spec", "updateStrategy", "rollingUpdate"))

    def surge(self, replicas: int) -> int:  # noqa: ARG002 - of a controller that rolls
        """How many pods above `replicas` it creates at a time."""
        return 0

    def unavailable(self, replicas: int) -> int:  # noqa: ARG002 - of a controller that rolls
        """How many of `replicas` pods may be unavailable in a rollout."""
        return 0

    def keeps_until_ready(self, replicas: int) -> bool:  # noqa: ARG002 - of a controller that rolls
        """Whether no old pod goes before a new one is available."""
        return False

    def keeps(self, replicas: int) -> int:  # noqa: ARG002 - of a controller that rolls
        """How many of `replicas` pods are available at every moment of a rollout; 0 if none is guaranteed."""
        return 0

    def surplus(self, replicas: int) -> int:  # noqa: ARG002 - of a controller that surges
        """How many pods above `replicas` may have places at rest while some pod waits."""
        return 0

    def old_at_rest(self, replicas: int) -> int:
        """The most old pods that are left at rest while some pod waits."""
        return replicas

    @property
    def waits_for(self) -> str:
        """The group of workloads whose old pods stay until the new pods of the whole group are ready; empty if none."""
        return ""

    keeps_surplus = False
    """Whether it deletes none of too many pods while one of the others waits."""

    counted = True
    """Whether `places_needed` is known; else only the search says how its rollout goes."""

    def places_needed(self, replicas: int) -> int:
        """How many places a rollout needs to end, including those that its old pods hold.

        Exact if every place is good for any pod of either revision and no other workload takes one.
        """
        return replicas

    def replaces_singly(self, replicas: int, version: str | None) -> bool:  # noqa: ARG002 - of one that rolls
        """Whether at most one pod is missing at any moment of a rollout; `version` is the Kubernetes version."""
        return False

    @property
    def pace(self) -> Hashable:
        """A key of how a template is rolled out, without the times for which the controller waits."""
        strategy = self.workload.strategy
        if strategy is None or isinstance(strategy, (JobStrategy, WrittenStrategy)):
            return strategy
        return replace(strategy, min_ready_seconds=0)

    @property
    def replaced_by_hand(self) -> Workload | None:
        """Return the workload without the setting that keeps the template from its pods; None if there is none.

        With OnDelete all old pods are deleted by hand; a partition is lowered to 0.
        """
        return None

    # how its pods are added to a search

    def add_pods(self, builder: PodTypeBuilder, *, rolling: bool, scaling: bool) -> None:
        """Add its pods to a simulation.

        If `rolling`, it is rolled out. Otherwise it has all its replicas or, with `scaling`, scales to them from what
        runs.
        """
        if self.terminates:
            change = builder.change
            pod = builder.unbound(change.running[0]) if change.running else builder.old_pod()
            builder.ending_type(pod, change.before, change.running, whole=change.before if change.whole else 0)
        elif rolling and self.rolls:
            self.add_rolling(builder)
        else:
            self.add_steady(builder, scaling=scaling)

    def add_rolling(self, builder: PodTypeBuilder) -> None:
        """Add the pods of its old template, and its rollout."""
        raise NotImplementedError

    def add_steady(self, builder: PodTypeBuilder, *, scaling: bool) -> None:
        """Add its pods, and the reconciler that recreates lost ones."""
        raise NotImplementedError
