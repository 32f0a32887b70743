"""Objects that set the replicas of workloads: HorizontalPodAutoscalers, and KEDA's ScaledObjects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kubelint_gpu.documents import Pointer
from kubelint_gpu.findings.finding import Place
from kubelint_gpu.kube.objects.workload import Workload, api_group
from kubelint_gpu.kube.values.plain import mapping
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.manifest import Manifest

TARGET: Pointer = ("spec", "scaleTargetRef")
SCALED = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")
_PAUSED = "autoscaling.keda.sh/paused"
_DEFAULT_MOST = 100


class Autoscaler(Value, eq=False):
    """An object that sets the replicas of one workload.

    Attributes:
        manifest: the object.
        target: its `scaleTargetRef`, with defaults.
        least: the pointer of the minimum; `most` that of the maximum.
        bounds: both numbers; None if they are invalid, or if it is switched off.
    """

    manifest: Manifest
    target: Mapping[str, Any]
    least: Pointer
    most: Pointer
    bounds: tuple[int, int] | None

    @property
    def name(self) -> str:
        """`HorizontalPodAutoscaler chat`."""
        return f"{self.manifest.kind} {self.manifest.name}"

    @property
    def scales(self) -> str:
        """The workload that it scales, by `kind/namespace/name`."""
        return f"{self.target.get('kind')}/{self.manifest.namespace or 'default'}/{self.target.get('name')}"


Autoscalers = Mapping[str, Autoscaler]
"""The first autoscaler of each workload, by the workload's `kind/namespace/name`."""


class ScaledAtOnce(Value):
    """The replicas that an autoscaler sets in any case, because the written number is out of its bounds.

    `bound` is the pointer of the bound: its minimum or maximum.
    """

    replicas: int
    autoscaler: Autoscaler
    bound: Pointer

    @property
    def place(self) -> Place:
        """The place of the bound."""
        return self.autoscaler.manifest.place(self.bound)

    @property
    def sets(self) -> str:
        """`HorizontalPodAutoscaler chat sets at least`."""
        least, most = self.autoscaler.bounds or (0, 0)
        end = "" if least == most else " at least" if self.bound == self.autoscaler.least else " at most"
        return f"{self.autoscaler.name} sets{end}"


def read_autoscaler(manifest: Manifest) -> Autoscaler | None:
    """The autoscaler that an object is; None for any other object.

    In KEDA, an idle workload has another minimum, and the default bounds are 0 and 100 (reference of ScaledObject, KEDA
    2.15).
    """
    target = mapping(field_pointers.at(manifest, TARGET))
    if manifest.kind == "HorizontalPodAutoscaler":
        return _autoscaler(manifest, target, "minReplicas", "maxReplicas", (1, None))
    if (api_group(manifest.item.value), manifest.kind) != ("keda.sh", "ScaledObject"):
        return None
    target = {"apiVersion": "apps/v1", "kind": "Deployment", **target}
    idle = field_pointers.at(manifest, ("spec", "idleReplicaCount"))
    found = _autoscaler(manifest, target, "minReplicaCount", "maxReplicaCount", (0, _DEFAULT_MOST), idle)
    paused = any(key.startswith(_PAUSED) for key in mapping(field_pointers.at(manifest, ("metadata", "annotations"))))
    return replace(found, bounds=None) if paused else found


def _autoscaler(
    manifest: Manifest, target: dict[str, Any], least: str, most: str, default: tuple[int, int | None], idle: Any = None
) -> Autoscaler:
    pointers: tuple[Pointer, Pointer] = ("spec", least), ("spec", most)
    written = (field_pointers.at(manifest, one) for one in pointers)
    low, high = (given if one is None else one for one, given in zip(written, default, strict=True))
    low = low if idle is None else idle
    known = type(low) is int and type(high) is int and 0 <= low <= high
    bounds: Any = (low, high) if known else None
    return Autoscaler(manifest, target, *pointers, bounds)


def autoscalers(manifests: Iterable[Manifest]) -> dict[str, Autoscaler]:
    """The autoscaler of each workload; of two for one workload, the first."""
    found: dict[str, Autoscaler] = {}
    for one in filter(None, map(read_autoscaler, manifests)):
        found.setdefault(one.scales, one)
    return found


def scaled_at_once(workload: Workload, among: Autoscalers) -> ScaledAtOnce | None:
    """The replicas to which an autoscaler scales a workload at once; None if it keeps the written number.

    It enforces its bounds before it looks at any metric, and ignores a workload with 0 replicas
    (pkg/controller/podautoscaler/horizontal.go, 1.34).
    """
    found = among.get(workload.key) if workload.kind in SCALED and not workload.custom else None
    if found is None or found.bounds is None or not workload.replicas:
        return None
    least, most = found.bounds
    if workload.replicas < least:
        return ScaledAtOnce(least, found, found.least)
    return ScaledAtOnce(most, found, found.most) if workload.replicas > most else None
