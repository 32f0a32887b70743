"""How the controllers of custom resources replace their pods, as an equivalent strategy of a Deployment.

A row with any other name is handled by its own controller.

Behaviour: the RayService controller of KubeRay, the rolling update of LeaderWorkerSet, the copies that Flagger keeps,
and `CalculateReplicaCountsForCanary` and the blue-green reconciliation of Argo Rollouts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kubelint_gpu.kube.objects.affinity import REQUIRED, PodAffinityTerm
from kubelint_gpu.kube.objects.rolling import (
    DeploymentStrategy,
    IntOrPercent,
    JobStrategy,
    Strategy,
    WrittenStrategy,
    read_canary_strategy,
    read_deployment_strategy,
    read_int_or_percent,
)
from kubelint_gpu.kube.objects.workload import Workload, api_group
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import freeze
from kubelint_gpu.kube.values.plain import at, mapping
from kubelint_gpu.kube.values.selectors import LabelSelector
from kubelint_gpu.values import replace

MIN_SCALES = ("autoscaling.knative.dev/min-scale", "autoscaling.knative.dev/minScale")
"""The annotation with the least number of pods of a revision, and its former name, which still counts."""
DEPLOYMENT_MODE = "serving.kserve.io/deploymentMode"
_SERVERLESS = ("Serverless", "Knative")
_REVISION = "the pods of the old revision go when those of the new one are ready"
_KEPT_COPY = "Flagger keeps all pods of its copy ({}-primary) until all new pods have been tried"
_ALL, _NONE = IntOrPercent(100, percent=True), IntOrPercent(0)


def custom_strategy(row: dict[str, Any], template: dict[str, Any], root: Fields, pods: int) -> Strategy | None:
    """How the `pods` of one template of a custom resource are replaced; None if that is not known."""
    if row["ends"]:
        return JobStrategy(pods, pods)
    update = row.get("update", "") if template.get("type") != "none" else ""
    if update in _READERS:
        return _READERS[update](root, template, pods)
    return WrittenStrategy(update, freeze(root.down("spec").value)) if update else None


def beside(
    where: Pointer, why: str, remedy: str = "", *, paused: bool = False, revised: bool = False
) -> DeploymentStrategy:
    """The strategy that creates all new pods beside the old ones, and deletes these when all new ones are ready."""
    return DeploymentStrategy(
        max_surge=_ALL,
        max_unavailable=_NONE,
        batch=_ALL,
        at=where,
        bounded=False,
        why=why,
        remedy=remedy,
        paused=paused,
        revised=revised,
    )


def _second_cluster(root: Fields, _template: dict[str, Any], _pods: int) -> Strategy | None:
    """The strategy of a RayService; None for the incremental upgrade, whose needs depend on its steps."""
    kind = root.down("spec", "upgradeStrategy").value.get("type") or "NewCluster"
    if kind != "NewCluster":
        return None
    return beside(
        ("spec", "upgradeStrategy", "type"),
        "a RayService makes a whole second cluster beside the first one, which goes when the second one serves",
        "upgradeStrategy type None makes no second cluster: delete and create the RayService to change it",
        revised=True,
    )


def _groups(root: Fields, _template: dict[str, Any], pods: int) -> Strategy:
    """The strategy of groups. One group more or less is like several: if one may be missing, it needs no surge."""
    spec = root.down("spec")
    replicas = spec.integer("replicas", 1, 0)
    rolling = spec.down("rolloutStrategy", "rollingUpdateConfiguration")
    surge = read_int_or_percent(rolling, "maxSurge", _NONE).of(replicas, round_up=True)
    unavailable = read_int_or_percent(rolling, "maxUnavailable", IntOrPercent(1)).of(replicas, round_up=False)
    each, first = pods // max(1, replicas), bool(surge and not unavailable)
    return DeploymentStrategy(
        max_surge=IntOrPercent(each if first else 0),
        max_unavailable=IntOrPercent(0 if first else max(1, unavailable) * each),
        batch=IntOrPercent(each),
        at=("spec", "rolloutStrategy", "rollingUpdateConfiguration"),
        why="with maxUnavailable 0 no group of a LeaderWorkerSet may go before a new one is ready" if first else "",
    )


def _argo(root: Fields, _template: dict[str, Any], _pods: int) -> Strategy | None:
    spec, where = root.down("spec"), ("spec", "strategy")
    strategy, paused = spec.down("strategy"), spec.boolean("paused")
    if strategy.child("blueGreen") is not None:
        return beside(
            (*where, "blueGreen"),
            "a blue-green Rollout makes all new pods beside the old ones before it switches over",
            "a canary with maxSurge 0 and maxUnavailable 1 needs no further pod",
            paused=paused,
        )
    canary = strategy.down("canary")
    if canary.child("trafficRouting") is None:
        return read_canary_strategy(spec)
    if canary.boolean("dynamicStableScale"):
        return None
    return beside(
        (*where, "canary", "trafficRouting"),
        "a canary with traffic routing keeps all old pods until all new ones are there",
        "dynamicStableScale: true lets old pods go as traffic moves",
        paused=paused,
    )


def kept_apart(value: dict[str, Any]) -> Pointer | None:
    """The field of a Rollout by which new pods never share a node with stable ones; None if there is none."""
    routes: list[Pointer] = [("spec", "strategy", way, "antiAffinity", REQUIRED) for way in ("blueGreen", "canary")]
    return next((route for route in routes if isinstance(at(value, route), dict)), None)


def revisions_apart(value: dict[str, Any], selector: LabelSelector | None) -> tuple[PodAffinityTerm, ...]:
    """The anti-affinity term that Argo Rollouts adds to pods of `selector` for that (`GenerateReplicaSetAffinity`)."""
    if selector is None or kept_apart(value) is None:
        return ()
    return (PodAffinityTerm("kubernetes.io/hostname", selector, mismatch_label_keys=("pod-template-hash",)),)


def _revision(root: Fields, _template: dict[str, Any], _pods: int) -> Strategy | None:
    """The strategy of a Knative Service; without a minimum scale it is assumed to be at zero when it changes."""
    where: Pointer = ("spec", "template", "metadata", "annotations")
    kept = next((name for name in MIN_SCALES if at(root.value, (*where, name)) is not None), None)
    return beside((*where, kept), _REVISION, revised=True) if kept is not None else None


def _kserve(root: Fields, template: dict[str, Any], pods: int) -> Strategy | None:
    """The strategy of a KServe component: a revision of Knative in Serverless mode, else a Deployment.

    Without the annotation, the mode is a setting of the operator.
    Source: `GetDeploymentMode` of pkg/controller/v1beta1/inferenceservice, KServe 0.15; 0.16 has other names for the
    modes.
    """
    written = at(root.value, ("metadata", "annotations", DEPLOYMENT_MODE))
    mode = written if isinstance(written, str) else at(root.value, ("status", "deploymentMode"))
    remedy = "deploymentStrategy has an effect in RawDeployment mode only: there, type Recreate needs no further pod"
    if mode not in _SERVERLESS:
        found = _deployment(root, template, pods)
        return found if isinstance(mode, str) else replace(found, bounded=False, remedy=remedy)
    where: Pointer = (*template["path"].split("."), "minReplicas")
    return beside(where, _REVISION, remedy, revised=True) if pods else None


def _deployment(root: Fields, template: dict[str, Any], _pods: int) -> Strategy:
    """The strategy of an operator's Deployment, from the template's field for it, or the default one."""
    route: Pointer = tuple(template.get("strategy", "spec").split("."))
    written = at(root.value, route) if len(route) > 1 else None
    config = written if isinstance(written, dict) else {"type": written or template.get("type", "RollingUpdate")}
    found = read_deployment_strategy(Fields({"strategy": config}, (), []))
    if "whole" in template and not found.recreate:
        return replace(beside(route, template["whole"], f"{route[-1]} type Recreate needs no further pod"), batch=None)
    if len(route) > 1 and "plain" not in template:
        return replace(found, at=(*route, "rollingUpdate"))
    remedy = f"{route[-1]} Recreate needs no further pod" if len(route) > 1 else ""
    return replace(found, at=route, bounded=False, remedy=remedy)


_READERS: dict[str, Callable[[Fields, dict[str, Any], int], Strategy | None]] = {
    "argo": _argo,
    "deployment": _deployment,
    "groups": _groups,
    "kserve": _kserve,
    "revision": _revision,
    "second cluster": _second_cluster,
}


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
    """The workload as Flagger rolls it out, if it does; then nothing is certain.

    Behaviour: Flagger creates the copy, scales the Deployment to zero, and up again beside it when its template
    changes.
    """
    if workload.kind != "Deployment" or workload.key not in targets:
        return workload
    strategy = beside(("spec", "template"), _KEPT_COPY.format(workload.meta.name))
    return replace(workload, approximate=True, strategy=strategy)
