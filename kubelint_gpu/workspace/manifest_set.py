"""Manifests that are applied together, and objects beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.documents import Reading
from kubelint_gpu.kube.objects.cluster import Cluster, with_former_limits, with_labels
from kubelint_gpu.kube.objects.storage import PersistentVolumeClaim
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.framework.storage_index import claim_keys, direct_claims
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.apply_order import is_before_install
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.kind_validation import kept_objects
from kubelint_gpu.workspace.manifest import Manifest, manifests
from kubelint_gpu.workspace.shared_objects import Beside, SharedObjects

if TYPE_CHECKING:
    from typing_extensions import Self

    from kubelint_gpu.sources.render import Rendition


Stage = Literal["", "installed", "before install"]


class ManifestSet:
    """Manifests that are applied together, the cluster that they are applied to, and the manifests beside them.

    `before` are the objects before this change, by `kind/namespace/name`; `made` are those that are known to be new.
    `gone` are former objects that no manifest contains now: they stay in the cluster until somebody deletes them.
    `left` are those of them that other objects name. `neighbours` are these and the manifests beside whose pods run in
    the same cluster (`context`): they are not reported. `rendered` are the kustomizations and charts whose rendered
    text is among the readings, or that could not be rendered. `followed` says for objects of GitOps controllers, by
    file and document number, why their targets are not judged; empty if they are. `uncounted` are objects that
    affect it and that other files declare differently, each with these files: none of them counts. `stage` selects the
    workloads that run before the first install, or all others; empty for all.
    """

    def __init__(
        self,
        readings: Sequence[Reading],
        world: ClusterContext,
        beside: Beside | Sequence[Manifest] = (),
        before: Mapping[str, Manifest] = MappingProxyType({}),
        budget: int = BUDGET.states,
        rendered: Sequence[Rendition] = (),
        neighbours: Sequence[Manifest] = (),
        made: Collection[str] = (),
        gone: Sequence[Manifest] = (),
        followed: Mapping[tuple[str, int], str] = MappingProxyType({}),
        stage: Stage = "",
        uncounted: Sequence[tuple[str, tuple[str, ...]]] = (),
    ) -> None:
        self.stage = stage
        self.uncounted = tuple(uncounted)
        self.followed = followed
        self.readings = tuple(readings)
        self.before = before
        self.made = frozenset(made)
        self.gone = tuple(gone)
        self.world = world
        self.context = tuple(neighbours)
        self.left = tuple(one for one in self.gone if one.workload is None)
        self.neighbours = (*self.context, *self.left)
        self.beside = beside if isinstance(beside, Beside) else Beside(SharedObjects(beside), frozenset())
        self.budget = budget
        self.rendered = tuple(rendered)
        self.answers: dict[object, Any] = {}

    def forget(self) -> None:
        """Drop all cached answers; they are computed again when needed."""
        for name in [name for name in self.__dict__ if isinstance(getattr(type(self), name, None), cached_property)]:
            del self.__dict__[name]
        self.answers.clear()

    def with_readings(self, readings: Sequence[Reading], rendered: Sequence[Rendition] | None = None) -> Self:
        """The same unit with other text."""
        return self._with(readings, self.world, self.rendered if rendered is None else rendered)

    @cached_property
    def stages(self) -> tuple[Self, ...]:
        """The stages of the unit: if Helm runs Jobs before the first install, they are judged separately."""
        if not any(is_before_install(one.item.value) for one in self.manifests):
            return (self,)
        parts: tuple[Stage, ...] = ("installed", "before install")
        return tuple(self._with(self.readings, self.world, self.rendered, stage=stage) for stage in parts)

    def without_cluster(self) -> Self:
        """The unit on a cluster without known objects."""
        return self._with(self.readings, self.world.without_objects(), self.rendered)

    def without_left(self) -> Self:
        """The unit after the objects in `left` are deleted."""
        return self._with(self.readings, self.world, self.rendered, [one for one in self.gone if one not in self.left])

    def _with(
        self,
        readings: Sequence[Reading],
        world: ClusterContext,
        rendered: Sequence[Rendition],
        gone: Sequence[Manifest] | None = None,
        stage: Stage | None = None,
    ) -> Self:
        gone = self.gone if gone is None else gone
        return type(self)(
            readings,
            world,
            self.beside,
            self.before,
            self.budget,
            rendered,
            self.context,
            self.made,
            gone,
            self.followed,
            self.stage if stage is None else stage,
            self.uncounted,
        )

    @cached_property
    def manifests(self) -> tuple[Manifest, ...]:
        """The objects, in the order of the text."""
        every = manifests(self.readings, {one.path: one.origins for one in self.rendered})
        if not self.stage:
            return every
        first = self.stage == "before install"
        return tuple(one for one in every if one.workload is None or is_before_install(one.item.value) is first)

    @cached_property
    def kept(self) -> dict[str, Manifest | None]:
        """Objects whose change the API server refuses, in their old state; None if the inventory has that."""
        return kept_objects(self.manifests, self.before, self.world, self.minor_release)

    def follows(self, manifest: Manifest) -> bool:
        """Whether everything that an object of a GitOps controller names is judged."""
        return self.why_not_followed(manifest) == ""

    def why_not_followed(self, manifest: Manifest) -> str | None:
        """Why not everything that an object of a GitOps controller names is judged; empty if it is, None if unknown."""
        return self.followed.get((manifest.path, manifest.item.document.index))

    @property
    def first_path(self) -> str:
        """Return the path of the first file that could be read; empty if none could."""
        return next((one.path for one in self.sources if one.source is not None), "")

    @cached_property
    def sources(self) -> tuple[Reading, ...]:
        """The files that people write: the readings, or the sources of rendered texts."""
        made = {one.path for one in self.rendered}
        plain = [reading for reading in self.readings if reading.source is None or reading.source.path not in made]
        return (*plain, *(reading for one in self.rendered for reading in one.sources))

    def surroundings(self, kinds: Collection[str] = ()) -> Iterator[Manifest]:
        """The objects beside it, of some kinds or all: shared objects of other files, then its neighbours."""
        if not kinds:
            return chain(self.beside, self.neighbours)
        return chain(self.beside.of_kinds(kinds), (one for one in self.neighbours if one.kind in kinds))

    @property
    def has_nodes(self) -> bool:
        """Whether there is a usable inventory."""
        return self.world.usable

    @property
    def complete(self) -> bool:
        """Whether the cluster has only the declared nodes."""
        return self.world.inventory is not None and self.world.inventory.complete

    @property
    def is_closed(self) -> bool:
        """Whether the cluster has only the declared nodes and those that its pools may add."""
        return self.world.inventory is not None and self.world.inventory.closed

    @cached_property
    def minor_release(self) -> int | None:
        """The minor release of the cluster's control plane; None if it is not declared."""
        version = self.world.inventory.kubernetes_version if self.world.inventory is not None else None
        parts = version.split(".") if version else []
        return int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else None

    @cached_property
    def templates(self) -> tuple[Manifest, ...]:
        """The manifests; a custom resource appears once for each of its pod templates."""
        return tuple(found for manifest in self.manifests for found in (manifest.templates or (manifest,)))

    @cached_property
    def cluster(self) -> Cluster:
        """The declared cluster with the objects of the manifests; a changed quota also has its former limits."""
        accepted = [one for one in (self.kept.get(one.object, one) for one in self.manifests) if one is not None]
        found = self.world.cluster((*self.neighbours, *accepted), self.beside)
        pods = [one.workload for one in accepted if one.kind == "Pod" and one.workload is not None]
        found = with_labels(found, {(one.meta.namespace, one.meta.name): one.template for one in pods})
        if not (self.before or self.made) or all(one.kind != "ResourceQuota" for one in self._every):
            return found
        return with_former_limits(found, self.cluster_before)

    @cached_property
    def with_claims(self) -> Cluster:
        """The cluster, with claims that the inventory lacks bound to volumes that every node reaches.

        So unknown storage does not prevent a judgement.
        """
        templates = (*self.templates, *self.neighbours)
        found = with_bound_claims(self.cluster, [one.workload for one in templates if one.workload is not None])
        declared = {one.key: one for one in self.world.base.claims}
        if found is self.cluster or len(found.claims) == len(declared):
            return self.cluster
        return replace(found, claims=tuple(declared.get(one.key, one) for one in found.claims))

    def claims_of(self, workload: Workload) -> list[PersistentVolumeClaim]:
        """The claims of the cluster that the pods of a workload name."""
        keys = claim_keys(workload)
        return [one for one in self.cluster.claims if one.key in keys]

    def undeclared_claims(self, users: Iterable[Workload]) -> frozenset[str]:
        """The claims that the pods of some workloads name and that the cluster does not have, as `namespace/name`."""
        named = (key for one in users for key in claim_keys(one))
        return frozenset(named).difference(one.key for one in self.cluster.claims)

    def assumed_claims(self, workload: Workload) -> tuple[str, ...]:
        """The claims of its pods that the inventory lacks: they are assumed to be bound where the pods go."""
        declared = {one.meta.name for one in self.world.base.claims if one.meta.namespace == workload.meta.namespace}
        return tuple(sorted({*direct_claims(workload.spec)} - declared))

    def empty_with_claims_of(self, workload: Workload) -> Snapshot:
        """The cluster without running pods, with the claims of a workload bound."""
        return Snapshot.of(replace(with_bound_claims(self.cluster, [workload]), pods=()))

    @cached_property
    def cluster_before(self) -> Cluster:
        """The cluster that admitted the running pods: without new objects, and with changed ones in their old state."""
        kinds = ("LimitRange", "Namespace", "PodDisruptionBudget", "PriorityClass", "RuntimeClass", "ResourceQuota")
        if not any(one.kind in kinds for one in self._every):
            return self.cluster
        old = [self.before.get(one.object, one) for one in self._every if one.object not in self.made]
        return self.world.cluster(old, self.beside)

    @property
    def _every(self) -> tuple[Manifest, ...]:
        return (*self.neighbours, *self.manifests)
