"""What is applied together, and what the core answers about it; every answer is asked for once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from kubelint_gpu.budget import BUDGET, SIMULATION
from kubelint_gpu.documents import Reading
from kubelint_gpu.inventory.declarations.inventory import Pool
from kubelint_gpu.kube.objects.cluster import Cluster, with_former_limits
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler import Attempt, FitResult, Snapshot, attempt, likeness
from kubelint_gpu.scheduler.companions import lone
from kubelint_gpu.simulation.growth import Grown, Growth
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.admitted import judged, kept_objects
from kubelint_gpu.workspace.autoscalers import Autoscalers, autoscalers
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import Manifest, manifests
from kubelint_gpu.workspace.resource_supply import ResourceSupply, growth_of
from kubelint_gpu.workspace.shared_objects import Beside, SharedObjects
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey

if TYPE_CHECKING:
    from kubelint_gpu.sources.kustomize.rendering import Rendered


class ApplySet:
    """Manifests that are applied together, the world they are applied to, and the manifests beside them.

    `before` are the objects as they were, by `kind/namespace/name`; `made` are those that are known not to have been.
    `gone` are objects that were and that no manifest has now: they stay in the cluster until somebody deletes them.
    `neighbours` are manifests beside them whose pods run in the same cluster: nothing is reported of them.
    `rendered` are the kustomizations whose rendered text is among the readings, or that could not be rendered.
    """

    def __init__(
        self,
        readings: Sequence[Reading],
        world: ClusterContext,
        beside: Beside | Sequence[Manifest] = (),
        before: Mapping[str, Manifest] = MappingProxyType({}),
        budget: int = BUDGET.states,
        rendered: Sequence[Rendered] = (),
        neighbours: Sequence[Manifest] = (),
        made: Collection[str] = (),
        gone: Sequence[Manifest] = (),
    ) -> None:
        self.readings = tuple(readings)
        self.before = before
        self.made = frozenset(made)
        self.gone = tuple(gone)
        self.world = world
        self.neighbours = tuple(neighbours)
        self.beside = beside if isinstance(beside, Beside) else Beside(SharedObjects(beside), frozenset())
        self.budget = budget
        self.rendered = tuple(rendered)
        self._attempts: dict[tuple[WorkloadKey, str], Attempt] = {}
        self._fitting: dict[Hashable, Attempt] = {}
        self.answers: dict[object, Any] = {}

    def forget(self) -> None:
        """Let go of everything that was worked out; it is worked out again where it is asked for."""
        for name in [name for name in self.__dict__ if isinstance(getattr(type(self), name, None), cached_property)]:
            del self.__dict__[name]
        self._attempts.clear()
        self._fitting.clear()
        self.answers.clear()

    def with_readings(self, readings: Sequence[Reading], rendered: Sequence[Rendered] | None = None) -> ApplySet:
        """The same unit with other text."""
        return self._with(readings, self.world, self.rendered if rendered is None else rendered)

    def without_cluster(self) -> ApplySet:
        """The same unit on a cluster of which no object is known."""
        return self._with(self.readings, self.world.without_objects(), self.rendered)

    def _with(self, readings: Sequence[Reading], world: ClusterContext, rendered: Sequence[Rendered]) -> ApplySet:
        return ApplySet(
            readings, world, self.beside, self.before, self.budget, rendered, self.neighbours, self.made, self.gone
        )

    @cached_property
    def manifests(self) -> tuple[Manifest, ...]:
        """The objects, in the order of the text."""
        return manifests(self.readings, {one.path: one.origins for one in self.rendered})

    @cached_property
    def kept(self) -> dict[str, Manifest | None]:
        """The objects whose change the API server refuses, as they were and stay; None: as the inventory has it."""
        return kept_objects(self.manifests, self.before, self.world, self.minor_release)

    @cached_property
    def sources(self) -> tuple[Reading, ...]:
        """The files that people write: what is read, and for a rendered text what it was made of."""
        made = {one.path for one in self.rendered}
        plain = [reading for reading in self.readings if reading.source is None or reading.source.path not in made]
        return (*plain, *(reading for one in self.rendered for reading in one.sources))

    @cached_property
    def cluster(self) -> Cluster:
        """The declared cluster with what the manifests bring; a quota that changes has the limits that it had, too."""
        accepted = (self.kept.get(one.object, one) for one in self.manifests)
        found = self.world.cluster((*self.neighbours, *filter(None, accepted)), self.beside)
        if not (self.before or self.made) or all(one.kind != "ResourceQuota" for one in self.manifests):
            return found
        return with_former_limits(found, self.cluster_before)

    def surroundings(self, kinds: Collection[str] = ()) -> Iterator[Manifest]:
        """The objects beside it, of some kinds or all: those of other files that it may use, then its neighbours."""
        if not kinds:
            return chain(self.beside, self.neighbours)
        return chain(self.beside.of_kinds(kinds), (one for one in self.neighbours if one.kind in kinds))

    @property
    def has_nodes(self) -> bool:
        """Whether there is an inventory to decide anything by."""
        return self.world.usable

    @property
    def complete(self) -> bool:
        """Whether the cluster has no nodes but the declared ones."""
        return self.world.inventory is not None and self.world.inventory.complete

    def is_closed_to(self, subject: WorkloadCheck) -> bool:
        """Whether no node can take its pods but the declared ones: no pool grows any more, or none that takes them."""
        return self.complete or (self.is_closed and not self.may_grow_for(subject))

    @property
    def is_closed(self) -> bool:
        """Whether the cluster has no nodes but the declared ones and those that its pools may add."""
        return self.world.inventory is not None and self.world.inventory.closed

    @cached_property
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
    def subjects(self) -> tuple[WorkloadCheck, ...]:
        """The workloads that are judged; a Deployment that takes ReplicaSets over is approximate."""
        found: list[WorkloadCheck] = []
        sets = [one.workload for one in self.templates if one.kind == "ReplicaSet" and one.workload is not None]
        times: Counter[WorkloadKey] = Counter()
        for manifest in self.templates:
            if manifest.workload is not None and manifest.readable and not manifest.workload.partial:
                subject = self.judged(manifest, manifest.workload)
                if any(subject.workload.takes_over(one) for one in sets):
                    subject = replace(subject, workload=replace(subject.workload, approximate=True))
                times[subject.key] += 1
                number = times[subject.key]
                found.append(subject if number == 1 else subject.marked(str(number)))
        return tuple(found)

    @cached_property
    def _with_claims(self) -> Cluster:
        """The cluster with the claims that the inventory does not have bound to volumes that every node reaches.

        What is not known of storage keeps nobody from being judged by all else.
        """
        templates = (*self.templates, *self.neighbours)
        found = with_bound_claims(self.cluster, [one.workload for one in templates if one.workload is not None])
        declared = {one.key: one for one in self.world.base.claims}
        if found is self.cluster or len(found.claims) == len(declared):
            return self.cluster
        return replace(found, claims=tuple(declared.get(one.key, one) for one in found.claims))

    @cached_property
    def empty(self) -> Snapshot:
        """The cluster with nothing running."""
        return self.world.snapshot(self._with_claims, pods=False)

    @cached_property
    def running(self) -> Snapshot:
        """The cluster with what the inventory says is running."""
        return self.world.snapshot(self._with_claims, pods=True)

    @cached_property
    def grown(self) -> Snapshot | None:
        """One empty node of each pool that can still grow; None without such a pool."""
        if not self.growth:
            return None
        one_of_each = Grown(tuple(one.template for one in self.growth), sum((one.slices for one in self.growth), ()))
        return Snapshot.of(one_of_each.added_to(replace(self._with_claims, nodes=(), pods=())))

    @cached_property
    def growth(self) -> tuple[Growth, ...]:
        """The pools that can still grow, by what an autoscaler may make of them."""
        return growth_of(self.world.inventory) if self.world.inventory is not None and self.has_nodes else ()

    @cached_property
    def possible_nodes(self) -> tuple[Node, ...]:
        """The nodes of the cluster, then one of each pool that can still grow."""
        grown = self.grown.nodes if self.grown is not None else ()
        return (*self.cluster.nodes, *(info.node for info in grown))

    @cached_property
    def supply(self) -> ResourceSupply:
        """What gives extended resources out."""
        inventory = self.world.inventory
        declared = [found.value for found in inventory.of_kind("DeviceClass")] if inventory is not None else []
        written = [found.item.value for found in (*self.manifests, *self.neighbours) if found.kind == "DeviceClass"]
        written += [found.item.value for found in self.beside.of_kinds(("DeviceClass",))]
        return ResourceSupply(self.world, self.empty, self.grown, (*declared, *written))

    def alone(self, subject: WorkloadCheck) -> Attempt:
        """Scheduling its pod with nothing else running."""
        return self._attempt(subject, "empty", self.empty)

    def beside_running(self, subject: WorkloadCheck) -> Attempt:
        """Scheduling its pod beside what the inventory says is running."""
        return self._attempt(subject, "running", self.running)

    def on_growth(self, subject: WorkloadCheck) -> FitResult | None:
        """Where its pod fits among `grown`; None where no pool can grow, or it waits before any node is looked at."""
        return None if self.grown is None else self._attempt(subject, "grown", self.grown).fit

    def may_grow_for(self, subject: WorkloadCheck) -> bool:
        """Whether a pool could add a node that takes its pod."""
        found = self.on_growth(subject)
        return found is not None and found.schedulable

    def growing_for(self, subject: WorkloadCheck) -> tuple[Pool, ...]:
        """The pools that could add a node that takes its pod."""
        found, inventory = self.on_growth(subject), self.world.inventory
        if found is None or inventory is None:
            return ()
        return tuple(pool for pool in inventory.pools if pool.template.name in found.fits)

    def may_outgrow(self, subject: WorkloadCheck) -> bool:
        """Whether a pool may add more nodes for its pod than a judgement looks at: missing room is not proven then."""
        names = {pool.name for pool in self.growing_for(subject)}
        return any(one.name in names and one.further > SIMULATION.pool_nodes for one in self.growth)

    def fits_somewhere(self, subject: WorkloadCheck) -> bool:
        """Whether any node of the cluster takes its pod when nothing else runs, as far as that can be said."""
        found = self.alone(subject)
        return found.fit is not None and found.fit.hopeful

    def _attempt(self, subject: WorkloadCheck, name: str, snapshot: Snapshot) -> Attempt:
        key = (subject.key, name)
        if key not in self._attempts:
            # what else will run is not in these snapshots, nor what the pod must be near to
            pod = subject.pod if name == "running" else lone(subject.pod, snapshot)
            alike = (likeness(pod, snapshot), name)
            known = self._fitting.get(alike) or attempt(pod, snapshot)
            self._attempts[key] = known
            if known.fit is not None and known.fit.schedulable:
                # nothing names the pod then
                self._fitting[alike] = known
        return self._attempts[key]

    def judged(self, manifest: Manifest, workload: Workload, *, before: bool = False) -> WorkloadCheck:
        """A workload as it is judged: admitted, with its priority, and with the replicas that its autoscaler sets."""
        found = (self._autoscalers_before, self.cluster_before) if before else (self.autoscalers, self.cluster)
        supply = self.supply if self.has_nodes else None
        return judged(manifest, workload, *found, supply, self.before.get(manifest.object))

    @cached_property
    def cluster_before(self) -> Cluster:
        """The cluster that admitted what runs: without what is made now, and with what changes as it was."""
        kinds = ("LimitRange", "PriorityClass", "RuntimeClass", "ResourceQuota")
        if not any(one.kind in kinds for one in self.manifests):
            return self.cluster
        old = [self.before.get(one.object, one) for one in self.manifests if one.object not in self.made]
        return self.world.cluster((*self.neighbours, *old), self.beside)

    @cached_property
    def autoscalers(self) -> Autoscalers:
        """The HorizontalPodAutoscalers of the manifests and of those beside them."""
        return autoscalers((*self.manifests, *self.neighbours))

    @cached_property
    def _autoscalers_before(self) -> Autoscalers:
        return autoscalers(self.before.values())

    def before_of(self, subject: WorkloadCheck) -> WorkloadCheck | None:
        """The workload as it was; None where that is not known, or cannot be judged."""
        before = self.before.get(subject.manifest.object)
        if before is not None and before.templates:
            before = next((one for one in before.templates if one.part == subject.manifest.part), None)
        if before is None or before.workload is None or not before.readable or before.workload.partial:
            return None
        return self.judged(before, before.workload, before=True).marked("before")
