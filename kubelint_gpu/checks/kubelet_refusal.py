"""A rollout whose pods name their node: what is told of the scheduler elsewhere, the kubelet does here."""

from __future__ import annotations

from kubelint_gpu.checks.draft import Draft
from kubelint_gpu.checks.finding import Step
from kubelint_gpu.checks.wait import Wait, every, held_by
from kubelint_gpu.checks.wording import listed
from kubelint_gpu.rollout.trace import Lack
from kubelint_gpu.values import replace

_SCHEDULER = "kube-scheduler"


def refused_by_kubelet(draft: Draft, wait: Wait, ends: str, why: str) -> Draft:
    """The finding as it is where the template names the node; any other stays as it is."""
    node = wait.workload.spec.node_name
    if not node:
        return draft
    lacks = [lack for lack in every(wait.waiting.lacks) if _reason(lack)]
    trace = tuple(_told(step, node, lacks) for step in draft.trace)
    if not lacks:
        return replace(draft, scheduler=None, trace=trace)
    holders = held_by(lacks, wait.workload.key)
    held = f" (held by {holders})" if holders else ""
    return replace(
        draft,
        message=f"{ends}: the kubelet of {node} fails each new pod with {_reasons(lacks)}{held}, and {why}",
        scheduler=None,
        trace=trace,
        help=(*draft.help, "each failed pod stays behind as an object, and the next one is made at once"),
    )


def _told(step: Step, node: str, lacks: list[Lack]) -> Step:
    if step.actor != _SCHEDULER:
        return step
    if step.message.startswith("cannot place "):
        pods = step.message.removeprefix("cannot place ").partition(":")[0]
        told = f"fails {pods} with {_reasons(lacks)}; the next one is made at once" if lacks else f"fails {pods}"
        return replace(step, actor=f"kubelet on {node}", message=told)
    told = step.message.replace("binds ", "takes ", 1).replace(f" to {node};", ";", 1)
    return replace(step, actor=f"kubelet on {node}", message=told)


def _reasons(lacks: list[Lack]) -> str:
    return listed(list(dict.fromkeys(map(_reason, lacks))))


def _reason(lack: Lack) -> str:
    """`status.reason` of a pod that the kubelet fails; empty where it does not look at what is lacking."""
    if lack.resource:
        return f"OutOf{lack.resource}"
    return lack.plugin if lack.plugin in ("NodePorts", "NodeAffinity") else ""
