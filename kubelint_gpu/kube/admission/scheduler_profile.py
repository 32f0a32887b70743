"""What a profile of kube-scheduler adds to the pods that it places, in the place where a pod itself would have it.

Behaviour: plugins NodeAffinity (`addedAffinity`) and PodTopologySpread (`defaultConstraints`), kube-scheduler 1.34.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubelint_gpu.kube.objects.affinity import read_affinity, read_spread_constraints
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.values import replace

_SPREAD = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet")
_HASH = "pod-template-hash"


def with_added_affinity(spec: PodSpec, added: dict[str, Any]) -> PodSpec:
    """The spec with the required part of an `addedAffinity`; what the schema refuses of it is left out."""
    return replace(spec, added_affinity=read_affinity(Fields({"nodeAffinity": added}, (), [])).nodes)


def with_default_constraints(spec: PodSpec, workload: Workload, constraints: Sequence[dict[str, Any]]) -> PodSpec:
    """The spec with the default constraints that forbid, where it lists none.

    They count the pods that the owner's selector matches, which of a Deployment are those of one template.
    """
    if spec.spread or workload.selector is None or workload.kind not in _SPREAD:
        return spec
    found = read_spread_constraints(Fields({"topologySpreadConstraints": list(constraints)}, (), []))
    keys = (_HASH,) if workload.kind == "Deployment" else ()
    forbid = (one for one in found if one.do_not_schedule)
    return replace(
        spec, spread=tuple(replace(one, selector=workload.selector, match_label_keys=keys) for one in forbid)
    )
