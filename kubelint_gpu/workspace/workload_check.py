"""A workload as it is judged: with pods after admission, and with the replicas that it has after an apply."""

from __future__ import annotations

from functools import cached_property
from typing import NewType

from kubelint_gpu.documents import value_at
from kubelint_gpu.findings.finding import Place
from kubelint_gpu.kube.admission.pod_refusal import PodRefusal, pod_refusal
from kubelint_gpu.kube.kinds.custom_workload import PLACED_ELSEWHERE
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.priority import HIGHEST_USER_PRIORITY, PREEMPT, UnknownPriorityClass
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.errors import is_placeholder
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.scheduler import merged
from kubelint_gpu.simulation.controllers.controller import Controller
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.prepare.workload_change import own_pods, own_waiting, resolved_workload
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.autoscalers import SCALED, Autoscalers, ScaledAtOnce, scaled_at_once
from kubelint_gpu.workspace.field_pointers import REPLICAS
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.pod_admission import spec_as_admitted
from kubelint_gpu.workspace.resource_supply import ResourceSupply

WorkloadKey = NewType("WorkloadKey", str)
"""What tells the workloads of a run apart: the key of the workload, with `#2` for the second of the same."""


class WorkloadCheck(Value, eq=False, dict=True):
    """A workload that is judged: complete, readable, after admission.

    `known_class` is False if its pods are refused because their PriorityClass does not exist; they then count as of the
    highest priority that a class can give. `refusal` is another reason why the API server refuses them.
    `scaled` is set if it has the replicas that an autoscaler sets at once, not the written ones.
    """

    manifest: Manifest
    workload: Workload
    known_class: bool = True
    scaled: ScaledAtOnce | None = None
    mark: str = ""
    refusal: PodRefusal | None = None

    @cached_property
    def key(self) -> WorkloadKey:
        """The key of all answers about it; `mark` distinguishes workloads with the same name."""
        return WorkloadKey(f"{self.workload.key}#{self.mark}" if self.mark else self.workload.key)

    def marked(self, mark: str) -> WorkloadCheck:
        """The workload in another state, or the second one of its name."""
        return replace(self, mark=f"{self.mark} {mark}".strip())

    @cached_property
    def controller(self) -> Controller:
        """The controller of its pods."""
        return controller_of(self.workload)

    @cached_property
    def pod(self) -> Pod:
        """A pod as the scheduler would see it."""
        return merged(self.workload.pod(self.workload.meta.name))

    @property
    def admitted(self) -> bool:
        """Whether its pods are created: no known reason refuses them."""
        return self.known_class and self.refusal is None

    @property
    def awaits_class(self) -> bool:
        """Whether its priority class is filled in later."""
        return is_placeholder(self.workload.spec.priority_class_name)

    @property
    def awaits_name(self) -> bool:
        """Whether the name or selector that identifies its pods is filled in later."""
        requirements = self.workload.selector.requirements if self.workload.selector is not None else ()
        values = (value for one in requirements for value in one.values)
        return any(map(is_placeholder, (self.workload.meta.name, self.workload.meta.namespace, *values)))

    @property
    def replicas_place(self) -> Place:
        """The place of its number of replicas: `spec` if it is not written, or the autoscaler's bound."""
        return self.scaled.place if self.scaled is not None else field_pointers.replicas_place(self.manifest)

    @property
    def pods_of_replica(self) -> int:
        """How many pods one written replica stands for: several if a custom resource has groups of pods."""
        spec = self.manifest.item.value.get("spec")
        written = spec.get("replicas") if self.workload.custom and isinstance(spec, dict) else None
        if type(written) is not int or written < 1 or self.workload.replicas % written:
            return 1
        return self.workload.replicas // written

    @property
    def places_pods(self) -> bool:
        """Whether the scheduler chooses the node of its pods: not with a node name, nor for a DaemonSet."""
        return not self.workload.spec.node_name and not self.controller.node_bound

    @property
    def placed_here(self) -> bool:
        """Whether the object itself decides where its pods go, unlike some custom resources."""
        return not (self.workload.custom and self.workload.kind in PLACED_ELSEWHERE)


def judged(
    manifest: Manifest,
    workload: Workload,
    autoscalers: Autoscalers,
    cluster: Cluster,
    supply: ResourceSupply | None,
    before: Manifest | None,
    *,
    earlier: bool,
) -> WorkloadCheck:
    """The workload as it is judged; `earlier` if it is the state before this change.

    `supply` is None without nodes; `before` is the manifest as it was applied last.
    """
    if not any(one.present(REPLICAS) for one in (manifest, before) if one is not None):
        workload = _as_scaled(workload, cluster)
    spec = spec_as_admitted(workload, cluster, supply)
    scaled = scaled_at_once(workload, autoscalers)
    workload = replace(
        workload,
        spec=spec,
        written=workload.spec if controller_of(workload).node_bound else None,
        replicas=scaled.replicas if scaled is not None else workload.replicas,
    )
    refusal = _refusal(manifest, workload, cluster)
    if earlier and refusal is not None and refusal.pointer:
        # what runs may have been made before its namespace enforced anything
        refusal = None
    try:
        found = resolved_workload(workload, cluster.priority_classes)
        return WorkloadCheck(manifest, found, scaled=scaled, refusal=refusal)
    except UnknownPriorityClass:
        # it is placed as if the class were there: with the highest priority that a class may have
        spec = replace(spec, priority=HIGHEST_USER_PRIORITY, preemption_policy=PREEMPT)
        return WorkloadCheck(manifest, replace(workload, spec=spec), known_class=False, scaled=scaled, refusal=refusal)


def _refusal(manifest: Manifest, workload: Workload, cluster: Cluster) -> PodRefusal | None:
    """Why the API server refuses its pods; None for custom resources, whose controllers may create other pods."""
    labels = next((one.labels for one in cluster.namespaces if one.name == workload.meta.namespace), EMPTY)
    spec = value_at(manifest.item.value, workload.spec_pointer)
    if workload.custom or not isinstance(spec, dict):
        return None
    return pod_refusal(workload, labels, spec)


def _as_scaled(workload: Workload, cluster: Cluster) -> Workload:
    """The workload with its present replicas, which an apply keeps if no manifest sets them.

    Pods of several ReplicaSets do not show the number.
    """
    if workload.kind not in SCALED or workload.custom or not cluster.pods:
        return workload
    pods = [*own_pods(workload, cluster.pods), *own_waiting(workload, cluster.pods)]
    alike = len({pod.meta.owner for pod in pods}) == 1
    return replace(workload, replicas=len(pods)) if alike else workload
