"""Pods with scheduling gates never enter the queue."""

from __future__ import annotations

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.plugin import Code, Status

NAME = "SchedulingGates"
REASON = "waiting for scheduling gates: [{gates}]"


def pre_enqueue(pod: Pod) -> Status | None:
    """The rejection of a gated pod, with its gates in the order of the spec; no node is checked."""
    gates = pod.spec.scheduling_gates
    return Status(NAME, Code.UNRESOLVABLE, (REASON.format(gates=" ".join(gates)),)) if gates else None
