"""What is applied together, and what the core answers about it; every answer is asked for once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from kubelint_gpu.checks.manifest import Manifest, manifests
from kubelint_gpu.checks.world import World
from kubelint_gpu.documents import Reading
from kubelint_gpu.inventory.inventory import Pool
from kubelint_gpu.kube.admission import admitted, without_resources
from kubelint_gpu.kube.cluster import Cluster
from kubelint_gpu.kube.fields import Fields
from kubelint_gpu.kube.limit_range import with_defaults
from kubelint_gpu.kube.node import Node, read_node
from kubelint_gpu.kube.pod import DEFAULT_SCHEDULER, Pod
from kubelint_gpu.kube.priority import UnknownPriorityClass
from kubelint_gpu.kube.resource_owners import owner_of
from kubelint_gpu.kube.taints import Toleration, read_toleration
from kubelint_gpu.kube.workload import Workload
from kubelint_gpu.rollout.explorer import Verdict
from kubelint_gpu.rollout.growth import Growth, possible_nodes
from kubelint_gpu.rollout.judgement import DEFAULT_BUDGET, Judgement, Together, Transition, judge, judge_together
from kubelint_gpu.rollout.participant import resolved_workload
from kubelint_gpu.rollout.placeable import placeable
from kubelint_gpu.scheduler import Attempt, Snapshot, attempt, fit, merged
from kubelint_gpu.scheduler.companions import lone
from kubelint_gpu.values import dataclass, replace

_PART_FOR_TOGETHER = 4


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A workload that is judged: whole, readable, as admission leaves it.

    `known_class` is false where its pods are refused because their PriorityClass does not exist.
    """

    manifest: Manifest
    workload: Workload
    known_class: bool = True

    @property
    def pod(self) -> Pod:
        """A pod as the scheduler would get it."""
        return merged(self.workload.pod(self.workload.meta.name))

    @property
    def places_pods(self) -> bool:
        """Whether the scheduler looks for a node for its pods: not with a node name, and a DaemonSet names its own."""
        return not self.workload.spec.node_name and self.workload.kind != "DaemonSet"


class Unit:
    """Manifests that are applied together, the world they are applied to, and the manifests beside them.

    `before` are the objects as they were, by `kind/namespace/name`.
    """

    def __init__(
        self,
        readings: Sequence[Reading],
        world: World,
        beside: Sequence[Manifest] = (),
        before: Mapping[str, Manifest] = MappingProxyType({}),
        budget: int = DEFAULT_BUDGET,
    ) -> None:
        self.readings = tuple(readings)
        self.before = before
        self.world = world
        self.beside = tuple(beside)
        self.budget = budget
        self._attempts: dict[tuple[int, str], Attempt] = {}

    @cached_property
    def manifests(self) -> tuple[Manifest, ...]:
        """The objects, in the order of the text."""
        return manifests(self.readings)

    @cached_property
    def cluster(self) -> Cluster:
        """The declared cluster with what the manifests bring."""
        return self.world.cluster(self.manifests, self.beside)

    @property
    def has_nodes(self) -> bool:
        """Whether there is an inventory to decide anything by."""
        return self.world.usable

    @property
    def complete(self) -> bool:
        """Whether the cluster has no nodes but the declared ones."""
        return self.world.inventory is not None and self.world.inventory.complete

    @property
    def minor_release(self) -> int | None:
        """The minor release of the cluster's control plane; None where it is not declared."""
        version = self.world.inventory.kubernetes_version if self.world.inventory is not None else None
        parts = version.split(".") if version else []
        return int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else None

    @cached_property
    def templates(self) -> tuple[Manifest, ...]:
        """The manifests, those of custom resources once for each of their pod templates."""
        return tuple(found for manifest in self.manifests for found in (manifest.templates or (manifest,)))

    @cached_property
    def subjects(self) -> tuple[Subject, ...]:
        """The workloads that are judged."""
        return tuple(
            self._subject(manifest, manifest.workload)
            for manifest in self.templates
            if manifest.workload is not None and manifest.readable and not manifest.workload.partial
        )

    @cached_property
    def empty(self) -> Snapshot:
        """The cluster with nothing running."""
        return self.world.snapshot(self.cluster, pods=False)

    @cached_property
    def running(self) -> Snapshot:
        """The cluster with what the inventory says is running."""
        return self.world.snapshot(self.cluster, pods=True)

    @cached_property
    def grown(self) -> Snapshot | None:
        """One empty node of each pool that can still grow; None without such a pool."""
        inventory = self.world.inventory
        pools = inventory.pools if inventory is not None and self.has_nodes else ()
        nodes = [read_node(pool.template.value) for pool in pools if pool.room]
        return Snapshot.of(replace(self.cluster, nodes=tuple(nodes), pods=())) if nodes else None

    @cached_property
    def growth(self) -> tuple[Growth, ...]:
        """The pools that can still grow, by what an autoscaler may make of them."""
        inventory = self.world.inventory
        pools = inventory.pools if inventory is not None and self.has_nodes else ()
        return tuple(
            Growth(_named(read_node(pool.template.value), pool.name), len(pool.nodes), pool.autoscaling.maximum)
            for pool in pools
            if pool.autoscaling is not None and pool.room
        )

    @cached_property
    def possible_nodes(self) -> tuple[Node, ...]:
        """The nodes of the cluster, then one of each pool that can still grow."""
        grown = self.grown.nodes if self.grown is not None else ()
        return (*self.cluster.nodes, *(info.node for info in grown))

    @cached_property
    def advertised(self) -> frozenset[str]:
        """The resources that some node knows, or that a pool may bring."""
        snapshots = (self.empty,) if self.grown is None else (self.empty, self.grown)
        return frozenset().union(*(snapshot.static("advertised", _advertised) for snapshot in snapshots))

    @cached_property
    def mapped(self) -> frozenset[str]:
        """The extended resources that a DeviceClass maps to devices."""
        inventory = self.world.inventory
        declared = [found.value for found in inventory.of_kind("DeviceClass")] if inventory is not None else []
        written = [found.item.value for found in (*self.manifests, *self.beside) if found.kind == "DeviceClass"]
        specs = (value.get("spec") for value in (*declared, *written))
        names = (spec.get("extendedResourceName") for spec in specs if isinstance(spec, dict))
        return frozenset(name for name in names if isinstance(name, str))

    def given_out_elsewhere(self, resource: str) -> bool:
        """Whether something else than kubelets and kube-scheduler gives a resource out: nothing is known of it here."""
        if resource in self.mapped:
            return resource not in self.advertised or self._has_slices
        return (resource not in self.advertised and bool(owner_of(resource))) or self._ignored(resource)

    @cached_property
    def _has_slices(self) -> bool:
        inventory = self.world.inventory
        return inventory is not None and next(inventory.of_kind("ResourceSlice"), None) is not None

    def _ignored(self, resource: str) -> bool:
        """Whether the default profile is told not to look at a resource."""
        inventory = self.world.inventory
        return any(
            resource in profile.get("ignoredResources", ())
            or resource.partition("/")[0] in profile.get("ignoredResourceGroups", ())
            for profile in (inventory.scheduler.profiles if inventory is not None else ())
            if profile.get("schedulerName", DEFAULT_SCHEDULER) == DEFAULT_SCHEDULER
        )

    def alone(self, subject: Subject) -> Attempt:
        """Scheduling its pod with nothing else running."""
        return self._attempt(subject, "empty", self.empty)

    def beside_running(self, subject: Subject) -> Attempt:
        """Scheduling its pod beside what the inventory says is running."""
        return self._attempt(subject, "running", self.running)

    def may_grow_for(self, subject: Subject) -> bool:
        """Whether a pool could add a node that takes its pod."""
        if self.grown is None:
            return False
        found = self._attempt(subject, "grown", self.grown)
        return found.fit is not None and found.fit.schedulable

    def growing_for(self, subject: Subject) -> tuple[Pool, ...]:
        """The pools that could add a node that takes its pod."""
        if self.grown is None or not self.may_grow_for(subject):
            return ()
        found = self._attempt(subject, "grown", self.grown)
        takes = found.fit.fits if found.fit is not None else ()
        inventory = self.world.inventory
        return tuple(pool for pool in (inventory.pools if inventory is not None else ()) if pool.template.name in takes)

    def may_outgrow(self, subject: Subject) -> bool:
        """Whether a pool may add more nodes for its pod than a judgement looks at: missing room is not proven then."""
        names = {pool.name for pool in self.growing_for(subject)}
        for growth in self.growth:
            looked_at = possible_nodes([growth], growth.most)
            shown = len(looked_at.nodes) if looked_at is not None else 0
            if growth.template.name in names and shown < growth.most - growth.existing:
                return True
        return False

    def room_for(self, subject: Subject, most: int) -> int:
        """How many of its pods, up to `most`, find places beside what the inventory says is running.

        Pools have grown as far as they may.
        """
        joined = possible_nodes(self.growth, most)
        nodes = joined.nodes if joined is not None else ()
        return placeable(subject.workload, replace(self.cluster, nodes=(*self.cluster.nodes, *nodes)), most)

    def fits_somewhere(self, subject: Subject) -> bool:
        """Whether any node of the cluster takes its pod when nothing else runs."""
        found = self.alone(subject)
        return found.fit is not None and found.fit.schedulable

    def shortage(
        self, subject: Subject, placed: int, nodes: Collection[str]
    ) -> tuple[str | None, dict[str, tuple[str, ...]]]:
        """Why no pod more than `placed` of a workload finds a node.

        The scheduler's text, and for each reason the nodes of `nodes` that it keeps the pod from.
        Pools have grown as far as they may; then the text is left out, as no scheduler says it today.
        """
        snapshot, pod = self.running, subject.pod
        growing = {pool.name for pool in self.growing_for(subject)}
        joined = possible_nodes([growth for growth in self.growth if growth.template.name in growing], placed + 1)
        if joined is not None:
            snapshot = Snapshot.of(replace(self.cluster, nodes=(*self.cluster.nodes, *joined.nodes)))
        for number in range(placed + 1):
            found = attempt(pod, snapshot)
            if found.fit is None or not found.fit.schedulable:
                rejections = found.fit.rejections if found.fit is not None else {}
                reasons: dict[str, tuple[str, ...]] = {}
                for node in sorted(nodes):
                    for reason in rejections[node].reasons[:1] if node in rejections else ():
                        reasons[reason] = (*reasons.get(reason, ()), node)
                return None if joined is not None else found.message, reasons
            name = f"{pod.meta.name}-{number}"
            placed_pod = replace(pod, meta=replace(pod.meta, name=name, uid=name))
            snapshot = snapshot.place(placed_pod, found.fit.fits[0])
        return None, {}

    @cached_property
    def judgements(self) -> dict[int, Judgement]:
        """What becomes of the rollout of each subject whose pods find a node by themselves, by the subject's identity.

        DaemonSets are among them: their pods are made for a node, and the scheduler has to agree.
        """
        transitions = list(self._transitions.values())
        found = judge(transitions, self.cluster, budget=self.budget, growth=self.growth) if transitions else ()
        return dict(zip(self._transitions, found, strict=True))

    @cached_property
    def together(self) -> tuple[Together, ...]:
        """What becomes of the rollouts that end by themselves when they start at the same moment, group by group."""
        transitions = [
            replace(transition, rolls=transition.rolls and self.judgements[key].verdict is Verdict.COMPLETES)
            for key, transition in self._transitions.items()
        ]
        if sum(transition.rolls for transition in transitions) < 2:
            return ()
        budget = self.budget // _PART_FOR_TOGETHER
        return judge_together(transitions, self.cluster, budget=budget, growth=self.growth)

    @cached_property
    def _transitions(self) -> dict[int, Transition]:
        """What is rolled out, by the identity of the subject."""
        if not self.has_nodes:
            return {}
        return {
            id(subject): self._transition(subject)
            for subject in self.subjects
            if subject.known_class
            and not subject.workload.custom
            and not subject.workload.spec.node_name
            and not self.alone(subject).held
        }

    def _attempt(self, subject: Subject, name: str, snapshot: Snapshot) -> Attempt:
        key = (id(subject), name)
        if key not in self._attempts:
            # what else will run is not in these snapshots, nor what the pod must be near to
            pod = subject.pod if name == "running" else lone(subject.pod, snapshot)
            self._attempts[key] = attempt(pod, snapshot)
        return self._attempts[key]

    def _subject(self, manifest: Manifest, workload: Workload) -> Subject:
        ranges = [found for found in self.cluster.limit_ranges if found.meta.namespace == workload.meta.namespace]
        spec = admitted(with_defaults(workload.spec, ranges), **self._admission)  # type: ignore[arg-type]
        if self.has_nodes:
            spec = without_resources(spec, self.given_out_elsewhere)
        workload = replace(workload, spec=spec)
        try:
            return Subject(manifest, resolved_workload(workload, self.cluster.priority_classes))
        except UnknownPriorityClass:
            return Subject(manifest, workload, known_class=False)

    def _transition(self, subject: Subject) -> Transition:
        """The workload as it was, where that is known and could run; else as it is, with another template hash.

        Where both are known and the templates are equal, nothing is rolled out.
        """
        new = subject.workload
        before = self.before.get(subject.manifest.object)
        if before is None or before.workload is None or not before.readable or before.workload.partial:
            return Transition(new, new)
        old = self._subject(before, before.workload)
        pod = lone(old.pod, self.empty)
        if not old.known_class or (old.places_pods and not fit(pod, self.empty).schedulable):
            # no pod of it runs anywhere: it holds nothing that the new one could wait for
            return Transition(new, new)
        same = (old.workload.spec, old.workload.template) == (new.spec, new.template)
        return Transition(new, old.workload, rolls=not same)

    @cached_property
    def _admission(self) -> dict[str, object]:
        inventory = self.world.inventory
        if inventory is None or not self.has_nodes:
            return {}
        tolerations: list[tuple[str, Toleration]] = [
            (str(value.get("resource", "")), read_toleration(Fields(value)))
            for value in inventory.admission.default_tolerations
        ]
        return {
            "extended_resource_toleration": inventory.admission.extended_resource_toleration,
            "tolerations": tolerations,
        }


def _named(node: Node, name: str) -> Node:
    """A node of another name: what a pool adds is called after the pool."""
    return replace(node, meta=replace(node.meta, name=name))


def _advertised(snapshot: Snapshot) -> frozenset[str]:
    return frozenset(name for info in snapshot.nodes for name in info.node.allocatable)
