"""`explain --output-format json`: a stable contract, amounts as Kubernetes quantities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kubelint_gpu.analysis.decided import decided_of
from kubelint_gpu.explain.rollout_summary import judged_rollout
from kubelint_gpu.explain.scheduling_moments import SchedulingMoment
from kubelint_gpu.kube.objects.meta import Owner
from kubelint_gpu.kube.objects.taints import Taint
from kubelint_gpu.kube.values.quantity import canonical, shown
from kubelint_gpu.messages.events import requirement_text, told
from kubelint_gpu.report.formats.json import decided_rows
from kubelint_gpu.scheduler.explain import cluster_changes as what
from kubelint_gpu.scheduler.explain.cluster_changes import Change, Holder
from kubelint_gpu.scheduler.explain.explained_class import ExplainedClass, Extent
from kubelint_gpu.scheduler.explain.what_would_help import Remedy
from kubelint_gpu.scheduler.preemption import Candidate
from kubelint_gpu.version import __version__
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck


def to_json(unit: ApplySet, subject: WorkloadCheck, found: Sequence[SchedulingMoment]) -> dict[str, Any]:
    """The whole explanation as plain data."""
    workload, spec = subject.workload, found[0].explanation.pod.spec
    mine = Owner(workload.kind, workload.meta.namespace, workload.meta.name)
    place = subject.manifest.place(("metadata", "name"))
    return {
        "version": __version__,
        "workload": workload.key,
        "path": place.path,
        "line": place.line,
        "replicas": None if subject.controller.node_bound else workload.replicas,
        "requests": _amounts(found[0].explanation.requests),
        "priority": spec.priority or 0,
        "priorityClass": spec.priority_class_name or None,
        "preemptionPolicy": spec.preemption_policy or "PreemptLowerPriority",
        "knownPriorityClass": subject.known_class,
        "nodes": len(unit.cluster.nodes),
        "situations": [_situation(one, mine) for one in found],
        "rollout": _rollout(unit, subject),
        "decided": [row for one in decided_of(unit, subject) for row in decided_rows(one)],
    }


def _rollout(unit: ApplySet, subject: WorkloadCheck) -> dict[str, Any] | None:
    """The verdict on the rollout, and whether it depends on growing pools: before the rollout, or during it."""
    found = judged_rollout(unit, subject)
    if found is None:
        return None
    judgement, verdict = found
    return {
        "verdict": verdict.value,
        "states": judgement.runs.states,
        "growingPools": [pool.name for pool in unit.growing_for(subject)] if judgement.runs.grows else [],
        "waitsForGrowth": judgement.runs.stalls is not None,
        "mayEndTogetherWith": [one.key for one in judgement.company],
    }


def _situation(found: SchedulingMoment, mine: Owner) -> dict[str, Any]:
    explanation = found.explanation
    preemption = explanation.preemption
    chosen = preemption.best[0] if preemption is not None and preemption.succeeds else None
    return {
        "situation": found.moment,
        "own": [{"node": name, "pods": number} for name, number in found.beside],
        "ownKnown": found.known,
        "fits": explanation.fits,
        "held": explanation.held or None,
        "scheduler": explanation.message,
        "eviction": _eviction(chosen),
        "refusal": explanation.refusal or None,
        "quotas": [_change(change, mine) for change in explanation.quotas],
        "growingPools": list(found.growing),
        "classes": [_class(one, mine) for one in explanation.classes],
    }


def _class(found: ExplainedClass, mine: Owner) -> dict[str, Any]:
    status = found.status
    return {
        "nodes": list(found.nodes),
        "count": len(found.nodes),
        "fits": found.fits,
        "plugin": status.plugin if status is not None else None,
        "code": status.code.value if status is not None else None,
        "reasons": list(status.reasons) if status is not None else [],
        "allocatable": _extents(found.allocatable),
        "free": _extents(found.free),
        "taints": [_taint(taint) for taint in found.taints],
        "unmet": [
            {
                "key": one.requirement.key,
                "operator": one.requirement.operator,
                "values": list(one.requirement.values),
                "text": requirement_text(one.requirement),
                "actual": list(one.actual),
            }
            for one in found.unmet
        ],
        "holders": [_holder(one, mine) for one in found.holders],
        "eviction": _eviction(found.eviction),
        "spared": found.spared or None,
        "remedies": [_remedy(one, mine) for one in found.remedies],
        "joining": _change(found.joining, mine) if found.joining is not None else None,
        "examined": found.examined,
        **({"devices": _devices(*found.devices, found.takes)} if found.devices is not None else {}),
    }


def _devices(free: Extent, there: Extent, takes: Sequence[str]) -> dict[str, Any]:
    return {
        "free": {"least": free.least, "most": free.most},
        "there": {"least": there.least, "most": there.most},
        **({"takes": list(takes)} if takes else {}),
    }


def _holder(found: Holder, mine: Owner) -> dict[str, Any]:
    return {
        "owner": found.owner.key,
        "own": found.owner == mine,
        "pods": list(found.pods),
        "nodes": list(found.nodes),
        "amounts": _amounts(found.amounts),
        "priority": found.priority,
        "lowerPriority": found.lower,
        "terminating": found.terminating,
        **({"devices": list(dict.fromkeys(found.devices))} if found.devices else {}),
    }


def _eviction(found: Candidate | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"node": found.node, "pods": [pod.key for pod in found.victims], "budgetViolations": found.violations}


def _remedy(found: Remedy, mine: Owner) -> dict[str, Any]:
    return {
        "text": told(found.changes, mine),
        "nodes": list(found.nodes),
        "events": [_change(change, mine) for change in found.changes],
    }


def _change(change: Change, mine: Owner) -> dict[str, Any]:
    return {"event": _EVENTS[type(change)], "text": told((change,), mine), **_details(change)}


_EVENTS = {
    what.PodsEnd: "pods-end",
    what.PodArrives: "pod-arrives",
    what.TaintGoes: "taint-goes",
    what.LabelSet: "label-set",
    what.Uncordoned: "uncordoned",
    what.CapacityGrows: "capacity-grows",
    what.NodeJoins: "node-joins",
    what.QuotaGrows: "quota-grows",
}


def _details(change: Change) -> dict[str, Any]:
    if isinstance(change, what.PodsEnd):
        return {
            "pods": [{"pod": pod.key, "node": node} for pod, node in change.pods],
            "owners": [{"owner": owner.key, "pods": number} for owner, number in change.owners],
        }
    if isinstance(change, what.PodArrives):
        return {"namespace": change.pod.meta.namespace, "labels": dict(change.pod.meta.labels)}
    if isinstance(change, what.TaintGoes):
        return {"taint": _taint(change.taint)}
    if isinstance(change, what.LabelSet):
        return {"key": change.key, "value": change.value}
    if isinstance(change, what.CapacityGrows):
        return {
            "resource": change.resource,
            "allocatable": shown(change.resource, change.allocatable),
            "now": shown(change.resource, change.now),
        }
    if isinstance(change, what.QuotaGrows):
        return {"quota": change.quota, "key": change.key, "hard": canonical(change.hard), "now": canonical(change.now)}
    if isinstance(change, what.NodeJoins):
        return {
            "like": change.like,
            "labels": dict(change.labels),
            "allocatable": _amounts(dict(change.allocatable)),
            "untainted": [_taint(taint) for taint in change.untainted],
        }
    return {}


def _taint(taint: Taint) -> dict[str, str]:
    return {"key": taint.key, "value": taint.value, "effect": taint.effect}


def _amounts(amounts: Mapping[str, int]) -> dict[str, str]:
    return {name: shown(name, number) for name, number in amounts.items()}


def _extents(extents: Mapping[str, Extent]) -> dict[str, dict[str, str]]:
    return {
        name: {"least": shown(name, extent.least), "most": shown(name, extent.most)} for name, extent in extents.items()
    }
