"""What an explanation says of a pod, and of nodes of which the same can be said."""

from __future__ import annotations

from collections.abc import Mapping

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.taints import Taint
from kubelint_gpu.kube.values.selectors import Requirement
from kubelint_gpu.scheduler.candidate import Candidate
from kubelint_gpu.scheduler.explain.cluster_changes import NodeJoins, QuotaGrows
from kubelint_gpu.scheduler.explain.extents import Extent
from kubelint_gpu.scheduler.explain.holders import Holder
from kubelint_gpu.scheduler.explain.what_would_help import Remedy
from kubelint_gpu.scheduler.fit import FitResult
from kubelint_gpu.scheduler.framework.plugin import Status
from kubelint_gpu.scheduler.preemption import Preemption
from kubelint_gpu.values import Value


class Unmet(Value):
    """A requirement on labels that the nodes of a class do not meet, and what they have instead, if that is short."""

    requirement: Requirement
    actual: tuple[str, ...] = ()


class ExplainedClass(Value):
    """Nodes of which the same can be said.

    Attributes:
        nodes: their names, sorted.
        status: why they do not take the pod; None where they do.
        allocatable: what each has of what the pod asks for, and of pod slots.
        free: what is left of it.
        taints: those that keep the pod away.
        unmet: requirements on labels that keep the pod away.
        holders: who holds what is lacking; where nothing is, who holds GPUs and their like.
        eviction: the best of the evictions that would make room on one of them; None where none would.
        spared: why none would, in the scheduler's words.
        remedies: what would make the pod fit on one of them, the likeliest first.
        joining: a node like them that would take the pod if it joined; None where none would, or they take it.
        examined: how many of them were looked at for remedies: those that come nearest, equal ones once.
        devices: of the devices that the pod could have there, how many are free, and how many there are; None where it
            asks for none.
        takes: the devices that it would have on the first of them; empty where they do not take it.
    """

    nodes: tuple[str, ...]
    status: Status | None
    allocatable: Mapping[str, Extent]
    free: Mapping[str, Extent]
    taints: tuple[Taint, ...] = ()
    unmet: tuple[Unmet, ...] = ()
    holders: tuple[Holder, ...] = ()
    eviction: Candidate | None = None
    spared: str = ""
    remedies: tuple[Remedy, ...] = ()
    joining: NodeJoins | None = None
    examined: int = 0
    devices: tuple[Extent, Extent] | None = None
    takes: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether they take the pod."""
        return self.status is None

    @property
    def lacking(self) -> tuple[str, ...]:
        """The resources that they have too little of, `pods` for pod slots, in the scheduler's order."""
        return self.status.short if self.status is not None else ()


class Explanation(Value):
    """What the scheduler makes of a pod, and why.

    Attributes:
        pod: the pod.
        requests: what it asks for, in the scheduler's units; a request of zero is left out.
        held: why no attempt is made at all; the classes say what would come of one. Empty where one is made.
        fit: what the filters say.
        preemption: whom it would evict; None where it fits, where the attempt fails, and in a cluster without nodes.
        message: the text of FailedScheduling: of an error that ends the attempt, that; None where it fits or is held.
        classes: all nodes, those that take it first, then those that come nearest.
        refusal: the text with which a quota refuses the pod before the scheduler sees it; empty where none does.
        quotas: by how much quotas would have to grow so that none refuses it.
    """

    pod: Pod
    requests: Mapping[str, int]
    held: str
    fit: FitResult
    preemption: Preemption | None
    message: str | None
    classes: tuple[ExplainedClass, ...]
    refusal: str = ""
    quotas: tuple[QuotaGrows, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether any node takes the pod."""
        return self.fit.schedulable
