"""Pods that name their node."""

from __future__ import annotations

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.facts import of_the_node
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.framework.plugin import SKIP, Code, Plugin, Prepared, Status, any_number
from kubelint_gpu.scheduler.framework.snapshot import Snapshot

NAME = "NodeName"
REASON = NodeReason("didn't match the requested node name")
_REJECTED = Status(NAME, Code.UNRESOLVABLE, (REASON,))


def _pre_filter(pod: Pod, _snapshot: Snapshot) -> Prepared:
    name = pod.spec.node_name
    return Prepared(name, apart=frozenset((name,))) if name else SKIP


PLUGIN = Plugin(
    NAME,
    _pre_filter,
    lambda name, node: None if node.node.meta.name == name else _REJECTED,
    facts=of_the_node(near=1),
    takes=any_number,
)
