"""Cordoned nodes."""

from __future__ import annotations

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.taints import UNSCHEDULABLE_KEY, Taint
from kubelint_gpu.scheduler.framework.facts import of_the_node
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.framework.plugin import SKIP, Code, Plugin, Prepared, Status, any_number
from kubelint_gpu.scheduler.framework.snapshot import Snapshot

NAME = "NodeUnschedulable"
REASON = NodeReason("were unschedulable", "it is cordoned")
_REJECTED = Status(NAME, Code.UNRESOLVABLE, (REASON,))
_TAINT = Taint(UNSCHEDULABLE_KEY, "", "NoSchedule")
_READY = Prepared()


def _pre_filter(pod: Pod, _snapshot: Snapshot) -> Prepared:
    for toleration in pod.spec.tolerations:
        if toleration.tolerates(_TAINT):
            return SKIP
    return _READY


PLUGIN = Plugin(
    NAME,
    _pre_filter,
    lambda _, node: _REJECTED if node.node.unschedulable else None,
    facts=of_the_node(near=1),
    takes=any_number,
)
