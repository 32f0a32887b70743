"""How many equal pods a node has room for."""

from __future__ import annotations

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import node_resources_fit

_MOST = 256


def room_for(pod: Pod, node: NodeInfo, snapshot: Snapshot) -> int:
    """The number of pods like this one whose requests a node still has free, at most 256."""
    prepared = node_resources_fit.PLUGIN.pre_filter(pod, snapshot)
    for number in range(_MOST):
        if node_resources_fit.PLUGIN.filter(prepared.state, node) is not None:
            return number
        node = node.with_pod(pod)
    return _MOST
