"""What admission and the scheduler's profile add to the pods of a workload, as declared in the inventory.

Behaviour: plugins NodeAffinity (`addedAffinity`) and PodTopologySpread (`defaultConstraints`), kube-scheduler 1.34.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from kubelint_gpu.inventory.declarations.inventory import Admission
from kubelint_gpu.kube.admission.defaults import admitted, without_resources
from kubelint_gpu.kube.objects.affinity import read_affinity, read_spread_constraints
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.limit_range import with_defaults
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.objects.runtime_class import with_runtime_class
from kubelint_gpu.kube.objects.taints import read_toleration
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.resource_supply import ResourceSupply

_SPREAD = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet")
_HASH = "pod-template-hash"


def with_added_affinity(spec: PodSpec, added: dict[str, Any]) -> PodSpec:
    """The spec with the required part of an `addedAffinity`; invalid parts are left out."""
    return replace(spec, added_affinity=read_affinity(Fields({"nodeAffinity": added}, (), [])).nodes)


def with_default_constraints(spec: PodSpec, workload: Workload, constraints: Sequence[dict[str, Any]]) -> PodSpec:
    """The spec with the default DoNotSchedule constraints, if it has no constraints.

    They count the pods that the owner's selector matches; for a Deployment, those of one template.
    """
    if spec.spread or workload.selector is None or workload.kind not in _SPREAD:
        return spec
    found = read_spread_constraints(Fields({"topologySpreadConstraints": list(constraints)}, (), []))
    keys = (_HASH,) if workload.kind == "Deployment" else ()
    forbid = (one for one in found if one.do_not_schedule)
    return replace(
        spec, spread=tuple(replace(one, selector=workload.selector, match_label_keys=keys) for one in forbid)
    )


def spec_as_admitted(workload: Workload, cluster: Cluster, supply: ResourceSupply | None) -> PodSpec:
    """The spec of its pods after admission and with the scheduler's profile; `supply` is None without nodes."""
    inventory = supply.world.inventory if supply is not None else None
    admission = inventory.admission if inventory is not None else Admission()
    spec = admitted(
        with_defaults(
            workload.spec, [found for found in cluster.limit_ranges if found.meta.namespace == workload.meta.namespace]
        ),
        extended_resource_toleration=admission.extended_resource_toleration,
        tolerations=[
            (str(value.get("resource", "")), read_toleration(Fields(value))) for value in admission.default_tolerations
        ],
    )
    spec = with_runtime_class(spec, cluster.runtime_classes)
    if supply is None or inventory is None:
        return spec
    spec = without_resources(spec, partial(supply.given_out_elsewhere, spec=spec))
    settings = inventory.scheduler
    spec = with_added_affinity(spec, settings.of_default("addedAffinity") or {})
    constraints = settings.of_default("defaultConstraints") or settings.default_constraints
    return with_default_constraints(spec, workload, constraints)
