"""Deployments that Flagger rolls out: it keeps a whole copy of each, which serves while the new pods are tried."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubelint_gpu.kube.kinds.custom_strategy import beside
from kubelint_gpu.kube.objects.workload import Workload, api_group
from kubelint_gpu.kube.values.plain import mapping
from kubelint_gpu.values import replace

_WHY = "Flagger keeps all pods of its copy ({}-primary) until all new pods have been tried"


def canary_targets(values: Iterable[dict[str, Any]]) -> frozenset[str]:
    """Return the Deployments that Canaries among some objects name, as `kind/namespace/name`."""
    found = set()
    for value in values:
        if value.get("kind") == "Canary" and api_group(value) == "flagger.app":
            target = mapping(mapping(value.get("spec")).get("targetRef"))
            space = mapping(value.get("metadata")).get("namespace") or "default"
            found.add(f"{target.get('kind')}/{space}/{target.get('name')}")
    return frozenset(found)


def rolled_by_canary(workload: Workload, targets: frozenset[str]) -> Workload:
    """Return the workload as Flagger rolls it out, if it does: nothing is certain of that.

    Behaviour: Flagger makes the copy, scales the Deployment to zero, and up again beside it when its template changes.
    """
    if workload.kind != "Deployment" or workload.key not in targets:
        return workload
    strategy = beside(("spec", "template"), _WHY.format(workload.meta.name))
    return replace(workload, approximate=True, strategy=strategy)
