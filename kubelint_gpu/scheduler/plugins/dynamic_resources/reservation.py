"""What a pod holds after it was put on a node."""

from __future__ import annotations

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.attempt_state import AttemptState
from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import pre_filter
from kubelint_gpu.values import replace


def reserve(pod: Pod, snapshot: Snapshot, node_name: str) -> tuple[Pod, ...]:
    """The pod with the devices that its claims may get on a node; as it is where they get none there.

    There are several where a release walks pools and slices in no fixed order.

    Raises:
        KeyError: there is no such node.
    """
    node = snapshot.node(node_name)
    if node is None:
        raise KeyError(node_name)
    bare = replace(pod, allocations=()) if pod.allocations else pod
    found = pre_filter(bare, snapshot)
    if found.skip or not isinstance(found.state, AttemptState):
        return (bare,)
    ways = found.state.allocate(node)
    return tuple([replace(bare, allocations=allocations) for allocations in ways]) or (bare,)
