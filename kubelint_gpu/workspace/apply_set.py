"""Manifests that are applied together, with the core's answers about them, each computed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from functools import cached_property

from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.inventory.declarations.inventory import Pool
from kubelint_gpu.kube.kinds.custom_strategy import canary_targets, rolled_by_canary
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler import Attempt, FitResult, Snapshot, attempt, likeness
from kubelint_gpu.scheduler.companions import lone
from kubelint_gpu.simulation.growth import Grown, Growth
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.autoscalers import Autoscalers, autoscalers
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.manifest_set import ManifestSet
from kubelint_gpu.workspace.resource_supply import ResourceSupply, growth_of
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey, judged


class Attempts:
    """Caches attempts by workload and cluster; pods that all filters treat equally share a successful one."""

    def __init__(self) -> None:
        self._known: dict[tuple[WorkloadKey, str], Attempt] = {}
        self._fitting: dict[Hashable, Attempt] = {}

    def of(self, subject: WorkloadCheck, name: str, snapshot: Snapshot) -> Attempt:
        """The attempt to schedule the pod of a workload in a named cluster."""
        key = (subject.key, name)
        if key not in self._known:
            # what else will run is not in these snapshots, nor what the pod must be near to
            pod = subject.pod if name == "running" else lone(subject.pod, snapshot)
            alike = (likeness(pod, snapshot), name)
            known = self._fitting.get(alike) or attempt(pod, snapshot)
            self._known[key] = known
            if known.schedulable:
                # nothing names the pod then
                self._fitting[alike] = known
        return self._known[key]


class ApplySet(ManifestSet):
    """A set of manifests with its answers: its workloads as they are judged, and where their pods fit."""

    @cached_property
    def _attempts(self) -> Attempts:
        return Attempts()

    def is_closed_to(self, subject: WorkloadCheck) -> bool:
        """Whether only declared nodes can take its pods: no pool grows, or none whose nodes take them."""
        return self.complete or (self.is_closed and not self.may_grow_for(subject))

    @cached_property
    def subjects(self) -> tuple[WorkloadCheck, ...]:
        """The workloads that are judged; one with unknown pods, or whose pods another one adopts, is approximate."""
        found: list[WorkloadCheck] = []
        every = [one.workload for one in self.templates if one.workload is not None]
        sets = [one for one in every if one.kind == "ReplicaSet"]
        pairs = [(one, other) for one in every for other in sets if one.takes_over(other)]
        adopted = {one.key for pair in pairs for one in pair}
        times: Counter[WorkloadKey] = Counter()
        for manifest in self.templates:
            if manifest.workload is not None and manifest.readable and not manifest.workload.partial:
                subject = self.judged(manifest, manifest.workload)
                unknown = bool(self.cluster.pods) and subject.awaits_name
                if unknown or subject.workload.key in adopted:
                    subject = replace(subject, workload=replace(subject.workload, approximate=True))
                times[subject.key] += 1
                number = times[subject.key]
                found.append(subject if number == 1 else subject.marked(str(number)))
        return tuple(found)

    @cached_property
    def empty(self) -> Snapshot:
        """The cluster without running pods."""
        return self.world.snapshot(self.with_claims, pods=False)

    @cached_property
    def running(self) -> Snapshot:
        """The cluster with the running pods of the inventory."""
        return self.world.snapshot(self.with_claims, pods=True)

    @cached_property
    def grown(self) -> Snapshot | None:
        """One empty node of each pool that can still grow; None if there is none."""
        if not self.growth:
            return None
        one_of_each = Grown(tuple(one.template for one in self.growth), sum((one.slices for one in self.growth), ()))
        return Snapshot.of(one_of_each.added_to(replace(self.with_claims, nodes=(), pods=())))

    @cached_property
    def growth(self) -> tuple[Growth, ...]:
        """The pools that can still grow, with the nodes that an autoscaler would add."""
        return growth_of(self.world.inventory) if self.world.inventory is not None and self.has_nodes else ()

    @cached_property
    def possible_nodes(self) -> tuple[Node, ...]:
        """The nodes of the cluster, then one of each pool that can still grow."""
        grown = self.grown.nodes if self.grown is not None else ()
        return (*self.cluster.nodes, *(info.node for info in grown))

    @cached_property
    def supply(self) -> ResourceSupply:
        """Return the extended resources of the cluster, with their sources."""
        inventory = self.world.inventory
        declared = [found.value for found in inventory.of_kind("DeviceClass")] if inventory is not None else []
        written = [found.item.value for found in (*self.manifests, *self.neighbours) if found.kind == "DeviceClass"]
        written += [found.item.value for found in self.beside.of_kinds(("DeviceClass",))]
        return ResourceSupply(self.world, self.empty, self.grown, (*declared, *written))

    def alone(self, subject: WorkloadCheck) -> Attempt:
        """The attempt to schedule its pod without running pods."""
        return self._attempts.of(subject, "empty", self.empty)

    def beside_running(self, subject: WorkloadCheck) -> Attempt:
        """The attempt to schedule its pod beside the running pods of the inventory."""
        return self._attempts.of(subject, "running", self.running)

    def on_growth(self, subject: WorkloadCheck) -> FitResult | None:
        """Where its pod fits among `grown`; None if no pool can grow, or if the pod is held before filtering."""
        return None if self.grown is None else self._attempts.of(subject, "grown", self.grown).fit

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
        """Whether a pool may add more nodes for its pod than a judgement considers: then missing room is not proven."""
        names = {pool.name for pool in self.growing_for(subject)}
        return any(one.name in names and one.further > SIMULATION.pool_nodes for one in self.growth)

    def fits_somewhere(self, subject: WorkloadCheck) -> bool:
        """Whether any node of the cluster takes its pod when nothing else runs, as far as that is known."""
        found = self.alone(subject)
        return found.fit is not None and found.fit.hopeful

    def judged(self, manifest: Manifest, workload: Workload, *, before: bool = False) -> WorkloadCheck:
        """The workload as it is judged: after admission, with its priority, and with the replicas of its autoscaler."""
        found = (self._autoscalers_before, self.cluster_before) if before else (self.autoscalers, self.cluster)
        supply = self.supply if self.has_nodes else None
        workload = rolled_by_canary(workload, self._canaries)
        return judged(manifest, workload, *found, supply, self.before.get(manifest.object), earlier=before)

    @cached_property
    def _canaries(self) -> frozenset[str]:
        return canary_targets(one.item.value for one in (*self.manifests, *self.neighbours))

    @cached_property
    def autoscalers(self) -> Autoscalers:
        """The autoscalers in and beside the manifests, by workload."""
        return autoscalers((*self.manifests, *self.neighbours))

    @cached_property
    def _autoscalers_before(self) -> Autoscalers:
        return autoscalers(self.before.values())

    def before_of(self, subject: WorkloadCheck) -> WorkloadCheck | None:
        """The workload before this change; None if that is not known, or cannot be judged."""
        before = self.before.get(subject.manifest.object)
        if before is not None and before.templates:
            mine = (one for one in before.templates if one.part == subject.manifest.part)
            before = next((one for one in mine if one.workload is not None and not one.workload.partial), None)
        if before is None or before.workload is None or not before.readable or before.workload.partial:
            return None
        return self.judged(before, before.workload, before=True).marked("before")
