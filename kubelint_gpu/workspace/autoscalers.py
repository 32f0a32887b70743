"""HorizontalPodAutoscalers of a unit: what they scale, and how far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kubelint_gpu.documents import Pointer
from kubelint_gpu.findings.finding import Place
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.values import Value, dataclass
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.manifest import Manifest

LEAST: Pointer = ("spec", "minReplicas")
MOST: Pointer = ("spec", "maxReplicas")
TARGET: Pointer = ("spec", "scaleTargetRef")


SCALED = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")

Autoscalers = Mapping[str, Manifest]
"""The first autoscaler of each workload, by the workload's `kind/namespace/name`."""


@dataclass(frozen=True, slots=True)
class ScaledAtOnce(Value):
    """That an autoscaler does not leave a workload at the replicas that are written, whatever the load.

    `bound` is where it says so: minReplicas, or maxReplicas.
    """

    replicas: int
    autoscaler: Manifest
    bound: Pointer

    @property
    def place(self) -> Place:
        """Where the number stands."""
        return self.autoscaler.place(self.bound)

    @property
    def sets(self) -> str:
        """`HorizontalPodAutoscaler chat sets at least`."""
        least, most = range_of(self.autoscaler) or (0, 0)
        end = "" if least == most else " at least" if self.bound == LEAST else " at most"
        return f"HorizontalPodAutoscaler {self.autoscaler.name} sets{end}"


def autoscalers(manifests: Iterable[Manifest]) -> dict[str, Manifest]:
    """Which workload each HorizontalPodAutoscaler scales; of two for one, the first."""
    found: dict[str, Manifest] = {}
    for manifest in manifests:
        if manifest.kind == "HorizontalPodAutoscaler":
            kind, name = field_pointers.at(manifest, (*TARGET, "kind")), field_pointers.at(manifest, (*TARGET, "name"))
            found.setdefault(f"{kind}/{manifest.namespace or 'default'}/{name}", manifest)
    return found


def scaled_at_once(workload: Workload, among: Autoscalers) -> ScaledAtOnce | None:
    """The replicas to which an autoscaler scales a workload at once; None where it leaves those that are written.

    It keeps within its bounds before it looks at any metric, and leaves a workload with 0 replicas alone
    (pkg/controller/podautoscaler/horizontal.go, 1.34).
    """
    manifest = among.get(workload.key) if workload.kind in SCALED and not workload.custom else None
    bounds = range_of(manifest) if manifest is not None else None
    if manifest is None or bounds is None or not workload.replicas:
        return None
    least, most = bounds
    if workload.replicas < least:
        return ScaledAtOnce(least, manifest, LEAST)
    return ScaledAtOnce(most, manifest, MOST) if workload.replicas > most else None


def range_of(manifest: Manifest) -> tuple[int, int] | None:
    """minReplicas, by default 1, and maxReplicas; None where they are no such numbers."""
    least, most = field_pointers.at(manifest, LEAST), field_pointers.at(manifest, MOST)
    least = 1 if least is None else least
    return (least, most) if type(least) is int and type(most) is int and 0 <= least <= most else None
