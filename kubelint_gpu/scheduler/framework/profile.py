"""The part of a scheduler's configuration that can reject a node."""

from __future__ import annotations

from kubelint_gpu.kube.objects.affinity import SpreadConstraint
from kubelint_gpu.kube.objects.pod import DEFAULT_SCHEDULER
from kubelint_gpu.kube.values.selectors import NodeSelector
from kubelint_gpu.values import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """A KubeSchedulerProfile: the plugin arguments that filters look at.

    Attributes:
        scheduler_name: the pods it serves.
        added_affinity: `NodeAffinityArgs.addedAffinity`, required part.
        ignored_resources: `NodeResourcesFitArgs.ignoredResources`, extended resources that are not checked.
        ignored_groups: `NodeResourcesFitArgs.ignoredResourceGroups`, the part before the slash.
        default_spread: `PodTopologySpreadArgs.defaultConstraints`, for pods that list no constraint.
    """

    scheduler_name: str = DEFAULT_SCHEDULER
    added_affinity: NodeSelector | None = None
    ignored_resources: frozenset[str] = frozenset()
    ignored_groups: frozenset[str] = frozenset()
    default_spread: tuple[SpreadConstraint, ...] = ()


DEFAULT_PROFILE = Profile()
