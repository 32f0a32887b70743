"""Pods that cannot preempt, although their priority should allow it."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.room.known_room import room_in
from kubelint_gpu.builders.waiting_pods import waiting_for_room
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.priority import NEVER, PREEMPT
from kubelint_gpu.messages.wording import counted
from kubelint_gpu.scheduler import Attempt, attempt
from kubelint_gpu.values import replace

_CLASS = "priorityClassName"
_MOST_RELATED = 4


@rule("KLG304", of_workloads=True)
def cannot_preempt(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods that wait for resources of others although their priority was meant to help."""
    for subject, found in waiting_for_room(unit):
        preemption, judgement = found.preemption, room_in(unit, subject)
        if preemption is None or preemption.succeeds or unit.may_grow_for(subject):
            continue
        if judgement is not None and not subject.controller.runs_to_completion and not judgement.room.missing:
            # what leaves in the same apply gives it room
            continue
        spec = subject.workload.spec
        priority, name = spec.priority or 0, spec.priority_class_name
        if spec.preemption_policy == NEVER:
            if not _would_succeed(unit, subject):
                continue
            why = f"class {name} has preemptionPolicy Never, so that nothing is evicted for it"
        elif not preemption.outcomes:
            continue
        else:
            lower = _lower(unit, subject, found)
            if lower:
                why = f"evicting the {counted(len(lower), 'pod')} of lower priority on its nodes is not enough"
            else:
                why = f"no pod on its nodes has a priority below {priority}, that of class {name}"
        manifest = subject.manifest
        yield Diagnostic(
            "KLG304",
            manifest.place(field_pointers.priority_class(subject.manifest)),
            f"its pod waits for room that others hold, and its priority does not help: {why}",
            manifest,
            cause=_CLASS,
            certainty="certain" if unit.complete else "possible",
            scheduler=found.message,
            related=_holders(unit, subject, found),
            follows=(manifest.object,),
        )


def _would_succeed(unit: ApplySet, subject: WorkloadCheck) -> bool:
    pod = replace(subject.pod, spec=replace(subject.pod.spec, preemption_policy=PREEMPT))
    found = attempt(pod, unit.running).preemption
    return found is not None and found.succeeds


def _candidates(found: Attempt) -> list[str]:
    """Return the nodes where fewer pods could help, sorted by name."""
    preemption = found.preemption
    if preemption is None:
        return []
    return sorted(node.name for one in preemption.outcomes for node in one.nodes)


def _lower(unit: ApplySet, subject: WorkloadCheck, found: Attempt) -> list[Pod]:
    priority = subject.workload.spec.priority or 0
    nodes = [node for node in map(unit.running.node, _candidates(found)) if node is not None]
    return [pod for node in nodes for pod in node.pods if (pod.spec.priority or 0) < priority]


def _holders(unit: ApplySet, subject: WorkloadCheck, found: Attempt) -> tuple[Related, ...]:
    wanted = set(extended_resources(subject.workload.spec))
    nodes = [node for node in map(unit.running.node, _candidates(found)) if node is not None]
    if not nodes:
        nodes = list(unit.running.nodes)
    related: dict[Related, None] = {}
    for node in nodes:
        for pod in node.pods:
            declared = unit.world.declared("Pod", pod.meta.name)
            if declared is None or (wanted and not wanted & set(extended_resources(pod.spec))):
                continue
            said = f"{pod.meta.name} is on {node.name} and has priority {pod.spec.priority or 0}"
            related[Related(unit.world.place(declared), said)] = None
    return tuple(related)[:_MOST_RELATED]
