"""How many equal pods a node has room for."""

from __future__ import annotations

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.fit import fit_on, judged, prepare
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import ANY_NUMBER, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import node_resources_fit
from kubelint_gpu.values import replace

_MOST = 256


def room_for(pod: Pod, node: NodeInfo, snapshot: Snapshot) -> int:
    """The number of pods like this one whose requests a node still has free, at most 256."""
    prepared = node_resources_fit.PLUGIN.pre_filter(pod, snapshot)
    return min(_MOST, node_resources_fit.takes(prepared.state, node))


def fitting_on(pod: Pod, snapshot: Snapshot, name: str, enough: int) -> int:
    """How many equal pods a node takes one after the other, up to `enough`.

    They are counted where each filter can say how many it lets in, and placed one by one elsewhere.

    Raises:
        KeyError: there is no such node.
    """
    node = snapshot.node(name)
    if node is None:
        raise KeyError(name)
    begun = prepare(pod, snapshot)
    if isinstance(begun, Status) or (begun.left is not None and name not in begun.left):
        return 0
    if judged([(plugin.filter, state) for plugin, state in begun.active], node) is not None:
        return 0
    takes = [(plugin.takes, state) for plugin, state in begun.active]
    known = [count(state, node) for count, state in takes if count is not None]
    most = min(enough, *known, ANY_NUMBER)
    if len(known) == len(takes):
        return most
    for number in range(most):
        if number and fit_on(pod, snapshot, name) is not None:
            return number
        called = f"{pod.meta.name}-{number}"
        snapshot = snapshot.place(replace(pod, meta=replace(pod.meta, name=called, uid=called)), name)
    return most
