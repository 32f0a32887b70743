"""Pods that name their node: what the kubelet does instead of the scheduler, and what happens to failed pods."""

from __future__ import annotations

from itertools import zip_longest

from kubelint_gpu.engine.api import Diagnostic, Manifest, field_pointers
from kubelint_gpu.findings.finding import Step
from kubelint_gpu.messages.wait import Wait, every, held_by
from kubelint_gpu.messages.wording import counted, listed
from kubelint_gpu.scheduler.plugins import node_affinity, node_ports
from kubelint_gpu.simulation.search.trace import Blocker, TraceStep
from kubelint_gpu.values import replace

_SCHEDULER = "kube-scheduler"
_DELETES = ("DaemonSet", "StatefulSet")
_BACKOFF_LIMIT = 6
_PILES_UP = "each failed pod stays behind as an object, and the next one is made at once"


def refused_by_kubelet(draft: Diagnostic, wait: Wait, ends: str, why: str) -> Diagnostic:
    """The finding in terms of the kubelet if the template names the node; otherwise unchanged."""
    from kubelint_gpu.scheduler import kubelet_admission

    node = wait.workload.spec.node_name
    if not node:
        return draft
    lacks = [lack for lack in every(wait.waiting.lacks) if _reason(lack)]
    then = "it is deleted and made anew" if wait.workload.kind in _DELETES else "the next one is made at once"
    run = draft.run.steps if draft.run is not None else ()
    trace = tuple(_kubelet_step(step, of, node, lacks, then) for step, of in zip_longest(draft.trace, run))
    if not lacks:
        return replace(draft, scheduler=None, trace=trace)
    holders = held_by(lacks, wait.workload.key)
    devices = listed(
        list(dict.fromkeys(lack.resource for lack in lacks if _reason(lack) == kubelet_admission.UNEXPECTED))
    )
    held = f"held by {holders}" if holders else ""
    inside = " ".join(part for part in (devices, held) if part)
    more = aftermath(draft.manifest) if draft.manifest is not None else ""
    return replace(
        draft,
        message=f"{ends}: the kubelet of {node} fails each new pod with {_reasons(lacks)}"
        f"{f' ({inside})' if inside else ''}, and {why}",
        scheduler=None,
        trace=trace,
        help=(*draft.help, more) if more else draft.help,
    )


def aftermath(manifest: Manifest) -> str:
    """Return the fate of a pod that the kubelet fails, by the kind of its owner; empty if unknown.

    Behaviour: pkg/controller/replicaset, statefulset, daemon and job, 1.34.
    """
    kind = manifest.kind
    if kind in ("Deployment", "ReplicaSet", "ReplicationController"):
        return _PILES_UP
    if kind == "StatefulSet":
        return "the StatefulSet controller deletes each failed pod and makes it anew, for ever"
    if kind == "DaemonSet":
        return (
            "the DaemonSet controller deletes each failed pod and makes it anew, at last every 15 minutes "
            "(event FailedDaemonPod)"
        )
    if kind == "Job":
        return _failed_job(manifest, ("spec",), "the Job")
    if kind == "CronJob":
        return _failed_job(manifest, ("spec", "jobTemplate", "spec"), "the run")
    return "the pod stays Failed: nothing makes it anew" if kind == "Pod" else ""


def _failed_job(manifest: Manifest, spec: tuple[str, ...], what: str) -> str:
    each = field_pointers.at(manifest, (*spec, "backoffLimitPerIndex"))
    if isinstance(each, int):
        return f"each failed pod counts: an index of which {counted(each + 1, 'pod')} failed is not tried again"
    written = field_pointers.at(manifest, (*spec, "backoffLimit"))
    limit = written if isinstance(written, int) else _BACKOFF_LIMIT
    default = "" if isinstance(written, int) else " by default"
    return (
        f"each failed pod counts: with {counted(limit + 1, 'failed pod')} {what} fails "
        f"(backoffLimit is {limit}{default}), and those of its pods that run are deleted"
    )


def _kubelet_step(step: Step, of: TraceStep | None, node: str, lacks: list[Blocker], then: str) -> Step:
    """A step of the finding: the kubelet does what the scheduler does for other pods."""
    if of is None or of.actor != _SCHEDULER:
        return step
    message = step.message
    if of.scheduler:
        message = f"fails {of.pods} with {_reasons(lacks)}; {then}" if lacks else f"fails {of.pods}"
    elif of.node:
        message = f"takes {of.pods}{'' if of.node == node else f' to {of.node}'}; {of.left}"
    return replace(step, actor=f"kubelet on {node}", message=message, about=f"Node/{node}")


def _reasons(lacks: list[Blocker]) -> str:
    return listed(list(dict.fromkeys(map(_reason, lacks))))


def _reason(lack: Blocker) -> str:
    """`status.reason` of a pod that the kubelet fails; empty if the kubelet ignores what is lacking."""
    from kubelint_gpu.scheduler import kubelet_admission

    if lack.resource:
        return kubelet_admission.refusal_reason(lack.resource)
    return lack.plugin if lack.plugin in (node_ports.NAME, node_affinity.NAME) else ""
