"""A workload as it is judged."""

from __future__ import annotations

from functools import cached_property
from typing import NewType

from kubelint_gpu.findings.finding import Place
from kubelint_gpu.kube.admission.pod_refusal import PodRefusal
from kubelint_gpu.kube.kinds.custom_workload import PLACED_ELSEWHERE
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.errors import is_placeholder
from kubelint_gpu.scheduler import merged
from kubelint_gpu.simulation.controllers.controller import Controller
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.autoscalers import ScaledAtOnce
from kubelint_gpu.workspace.manifest import Manifest

WorkloadKey = NewType("WorkloadKey", str)
"""What tells the workloads of a run apart: the key of the workload, with `#2` for the second of the same."""


class WorkloadCheck(Value, eq=False, dict=True):
    """A workload that is judged: whole, readable, as admission leaves it.

    `known_class` is false where its pods are refused because their PriorityClass does not exist; they then count as of
    the highest priority that a class may give. `refusal` is why the API server refuses them otherwise.
    `scaled` is set where it has the replicas that an autoscaler sets at once, and not those that are written.
    """

    manifest: Manifest
    workload: Workload
    known_class: bool = True
    scaled: ScaledAtOnce | None = None
    mark: str = ""
    refusal: PodRefusal | None = None

    @cached_property
    def key(self) -> WorkloadKey:
        """By it answers are found; `mark` tells workloads of the same name apart."""
        return WorkloadKey(f"{self.workload.key}#{self.mark}" if self.mark else self.workload.key)

    def marked(self, mark: str) -> WorkloadCheck:
        """The same in another state, or the second of its name."""
        return replace(self, mark=f"{self.mark} {mark}".strip())

    @cached_property
    def controller(self) -> Controller:
        """What makes its pods."""
        return controller_of(self.workload)

    @cached_property
    def pod(self) -> Pod:
        """A pod as the scheduler would get it."""
        return merged(self.workload.pod(self.workload.meta.name))

    @property
    def admitted(self) -> bool:
        """Whether its pods are made: nothing is known that refuses them."""
        return self.known_class and self.refusal is None

    @property
    def awaits_class(self) -> bool:
        """Whether something fills in later which class its pods have."""
        return is_placeholder(self.workload.spec.priority_class_name)

    @property
    def awaits_name(self) -> bool:
        """Whether something fills in later which pods are its own."""
        requirements = self.workload.selector.requirements if self.workload.selector is not None else ()
        values = (value for one in requirements for value in one.values)
        return any(map(is_placeholder, (self.workload.meta.name, self.workload.meta.namespace, *values)))

    @property
    def replicas_place(self) -> Place:
        """Where its number of replicas stands: `spec` where it is left to the default, or the autoscaler's bound."""
        return self.scaled.place if self.scaled is not None else field_pointers.replicas_place(self.manifest)

    @property
    def pods_of_replica(self) -> int:
        """How many pods one of its written replicas stands for: several if a custom resource has groups of pods."""
        spec = self.manifest.item.value.get("spec")
        written = spec.get("replicas") if self.workload.custom and isinstance(spec, dict) else None
        if type(written) is not int or written < 1 or self.workload.replicas % written:
            return 1
        return self.workload.replicas // written

    @property
    def places_pods(self) -> bool:
        """Whether the scheduler looks for a node for its pods: not with a node name, and a DaemonSet names its own."""
        return not self.workload.spec.node_name and not self.controller.node_bound

    @property
    def placed_here(self) -> bool:
        """Whether the object says itself where its pods go, as some custom resources do not."""
        return not (self.workload.custom and self.workload.kind in PLACED_ELSEWHERE)
