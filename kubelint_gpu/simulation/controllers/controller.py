"""The controller of a workload: what is true of it before any simulation, and how its pods are added to one.

There are two layers. A `Controller` answers for its workload as it is written; a `Reconciler` is its state machine in
one search. `controller_of` makes the first, and its `add` adds the second.
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
    """What the controller of one workload does; the answers here are those of one that rolls nothing out."""

    workload: Workload

    # how pods are made

    node_bound = False
    """Whether it makes one pod for each node that it chooses, instead of a number of them."""

    has_ordinals = False
    """Whether each pod has a name and an ordinal that its successor takes over."""

    @property
    def ordered(self) -> bool:
        """Whether it makes the pods one after the other, each when the one before is available."""
        return False

    @property
    def first_ordinal(self) -> int:
        """The lowest ordinal."""
        return getattr(self.workload.strategy, "first_ordinal", 0)

    @property
    def revision_kind(self) -> str:
        """The kind of the object that it makes for each template; empty where there is none."""
        return ""

    has_replica_sets = False
    """Whether new pods are made while old ones still terminate, and it scales before it rolls.

    So do Deployments, which make a ReplicaSet for each template, and custom resources like them.
    """

    @property
    def leaves_first(self) -> bool:
        """Whether fields of it can say that an old pod goes before its successor comes."""
        return False

    has_scale = True
    """Whether its kind has a scale subresource, so that a PodDisruptionBudget can take a share of its replicas."""

    replaces_lost = True
    """Whether a pod that is lost is made again; a bare pod is not."""

    runs_to_completion = False
    """Whether it makes pods that end, as a Job does."""

    @property
    def terminates(self) -> bool:
        """Whether its pods end by themselves some day."""
        return self.runs_to_completion or self.workload.spec.restart_policy in _ENDS

    @property
    def knows_own_pods(self) -> bool:
        """Whether a pod tells that it is its own: of a custom resource without a selector it only may be."""
        return self.workload.selector is not None or not self.workload.custom

    def pod(self, revision: str, name: str = "") -> Pod:  # noqa: ARG002 - of a controller that rolls
        """A pod as the controller creates it; `revision` tells the templates apart."""
        return self.workload.pod(name or self.workload.meta.name)

    def owns(self, pod: Pod) -> bool:
        """Whether a pod of the workload's namespace is its own: by owner, or by selector where it has none.

        One without an owner may be that of a custom resource, which has no selector.
        """
        if pod.meta.owner is not None:
            return self.is_owner(pod.meta.owner)
        selector = self.workload.selector
        if selector is None:
            return not self.knows_own_pods
        return bool(selector.requirements) and selector.matches(pod.meta.labels)

    def adopts(self, pod: Pod) -> bool:
        """Whether it takes over a bare pod: one with its labels, of a StatefulSet with the name of an ordinal, too.

        A Deployment's pods bear the hash of their template besides.
        """
        workload, first = self.workload, self.first_ordinal
        ordinals = range(first, first + workload.replicas) if self.has_ordinals else ()
        named = any(pod.meta.name == f"{workload.meta.name}-{ordinal}" for ordinal in ordinals)
        takes = named or workload.kind in ("ReplicaSet", "ReplicationController", "DaemonSet")
        return takes and pod.meta.namespace == workload.meta.namespace and pod.meta.owner is None and self.owns(pod)

    def is_owner(self, owner: OwnerReference) -> bool:
        """Whether a reference is to the workload, or to an object that its controller makes for the pods.

        What the controller of a custom resource makes is named after it, and may be of any kind.
        """
        name = self.workload.meta.name
        if not self.knows_own_pods:
            return owner.name.startswith(self.workload.name_kept)
        if owner.kind == self.dependent:
            return owner.name.rpartition("-")[0] == name
        return owner.kind == self.workload.kind and owner.name == name

    @property
    def dependent(self) -> str:
        """The kind of the objects that it makes and that own the pods; empty where it owns them itself."""
        return self.revision_kind if self.has_replica_sets else ""

    def has_own_claims(self, cluster: Cluster) -> bool:  # noqa: ARG002 - the controllers with ordinals look at it
        """Whether the cluster has claims for single pods of it."""
        return False

    # how a new template reaches the pods

    rolls = False
    """Whether a new template replaces pods, at once or when somebody lets it."""

    @property
    def on_delete(self) -> bool:
        """Whether a new template replaces a pod only when somebody deletes it."""
        return False

    @property
    def paused(self) -> bool:
        """Whether it rolls nothing out until somebody resumes it."""
        return getattr(self.workload.strategy, "paused", False)

    @property
    def partition(self) -> int:
        """How many pods keep their template, counted from the first ordinal."""
        return getattr(self.workload.strategy, "partition", 0)

    @property
    def withheld(self) -> int:
        """From how many ordinals it keeps a new template for the time being; from all of any number in a pause."""
        return INT32 if self.paused or (self.rolls and self.on_delete) else self.partition

    @property
    def recreates(self) -> bool:
        """Whether all old pods are gone before the first new one is made."""
        return getattr(self.workload.strategy, "recreate", False)

    @property
    def max_surge(self) -> IntOrPercent | None:
        """What is written, or the default; None where its kind has no such field."""
        return getattr(self.workload.strategy, "max_surge", None)

    @property
    def max_unavailable(self) -> IntOrPercent | None:
        """What is written, or the default; None where its kind has no such field."""
        return getattr(self.workload.strategy, "max_unavailable", None)

    @property
    def why_kept(self) -> str:
        """Why old pods stay in a rollout, as a clause, where no field of numbers says it; else empty."""
        return getattr(self.workload.strategy, "why", "")

    @property
    def remedy(self) -> str:
        """What would need less room, where no fix says it; else empty."""
        return getattr(self.workload.strategy, "remedy", "")

    @property
    def strategy_pointers(self) -> tuple[Pointer, ...]:
        """The fields that decide how it rolls, the most exact first."""
        return rolling_update_pointers(("spec", "updateStrategy", "rollingUpdate"))

    def surge(self, replicas: int) -> int:  # noqa: ARG002 - of a controller that rolls
        """How many pods more than `replicas` it makes at a time."""
        return 0

    def unavailable(self, replicas: int) -> int:  # noqa: ARG002 - of a controller that rolls
        """How many of `replicas` pods may be unavailable in a rollout."""
        return 0

    def keeps_until_ready(self, replicas: int) -> bool:  # noqa: ARG002 - of a controller that rolls
        """Whether no old pod goes before a new one is available."""
        return False

    def keeps(self, replicas: int) -> int:  # noqa: ARG002 - of a controller that rolls
        """How many of `replicas` pods are available at every moment of a rollout; 0 where nothing is counted on."""
        return 0

    def surplus(self, replicas: int) -> int:  # noqa: ARG002 - of a controller that surges
        """How many pods more than `replicas` may have places when nothing moves any more and some pod waits."""
        return 0

    def old_at_rest(self, replicas: int) -> int:
        """How many old pods are left at most when nothing moves any more and some pod waits."""
        return replicas

    @property
    def waits_for(self) -> str:
        """What its workload is a part of, if old pods go only when the new ones of all parts are ready; else empty."""
        return ""

    keeps_surplus = False
    """Whether it deletes none of too many pods while one of the others waits."""

    counted = True
    """Whether `places_needed` is known; else only the search says how its rollout goes."""

    def places_needed(self, replicas: int) -> int:
        """How many places for its pods a rollout needs to end, counting those that its old pods hold.

        Exact where every place is good for any pod of either revision and nobody else takes one.
        """
        return replicas

    def replaces_singly(self, replicas: int, version: str | None) -> bool:  # noqa: ARG002 - of one that rolls
        """Whether at most one pod is missing at any moment of a rollout; `version` is that of Kubernetes."""
        return False

    @property
    def pace(self) -> Hashable:
        """What decides how a template is rolled out, without the times for which the controller waits."""
        strategy = self.workload.strategy
        if strategy is None or isinstance(strategy, (JobStrategy, WrittenStrategy)):
            return strategy
        return replace(strategy, min_ready_seconds=0)

    @property
    def replaced_by_hand(self) -> Workload | None:
        """The workload as if nothing kept its template from its pods.

        With OnDelete somebody deletes all old pods; a partition is lowered to 0. None for any other.
        """
        return None

    # how its pods are added to a search

    def add_pods(self, builder: PodTypeBuilder, *, rolling: bool, scaling: bool) -> None:
        """Add its pods.

        It is rolled out; or not, with all its replicas; or, with `scaling`, it comes to them from what runs before.
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
        """Add its pods of the old template, and its rollout."""
        raise NotImplementedError

    def add_steady(self, builder: PodTypeBuilder, *, scaling: bool) -> None:
        """Add its pods, and what makes lost ones again."""
        raise NotImplementedError
