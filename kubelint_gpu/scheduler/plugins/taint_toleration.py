"""Taints that a pod does not tolerate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.taints import Covered, covered_by, uncovered
from kubelint_gpu.scheduler.framework.facts import Token, of_the_node
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.framework.plugin import Code, Plugin, Prepared, Status, any_number
from kubelint_gpu.scheduler.framework.snapshot import Snapshot

NAME = "TaintToleration"
REASON = NodeReason("had untolerated taint(s)")
_REJECTED = Status(NAME, Code.UNRESOLVABLE, (REASON,))

State = tuple[Covered, bool]


def _pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    covered = snapshot.memory.of(NAME, pod.spec, lambda spec: covered_by(spec.tolerations))
    return Prepared((covered, snapshot.behaviour.names_taint))


def _filter(state: State, node: NodeInfo) -> Status | None:
    if not node.taints:
        return None
    covered, named = state
    taint = next(uncovered(node.taints, covered), None)
    if taint is None:
        return None
    return _naming(taint.key, taint.value) if named else _REJECTED


@lru_cache(maxsize=1024)
def _naming(key: str, value: str) -> Status:
    return Status(NAME, Code.UNRESOLVABLE, (NodeReason(f"had untolerated taint {{{key}: {value}}}"),))


def _token(_pods: Sequence[Pod], wide: bool, _cluster: Cluster) -> Token | None:
    return (lambda node, _: node.taints) if wide else None


PLUGIN = Plugin(NAME, _pre_filter, _filter, facts=of_the_node(_token, near=2), takes=any_number)
