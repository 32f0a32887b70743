"""How many equal pods fit on a node."""

from __future__ import annotations

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.attempt import assume
from kubelint_gpu.scheduler.fit import fit_on, judged, prepare
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import ANY_NUMBER, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import node_resources_fit
from kubelint_gpu.values import replace
from kubelint_gpu.work import charge


def room_for(pod: Pod, node: NodeInfo, snapshot: Snapshot) -> int:
    """The number of pods like this one whose requests fit on a node, at most 256."""
    prepared = node_resources_fit.PLUGIN.pre_filter(pod, snapshot)
    return min(PLACEMENT.of_one_kind, node_resources_fit.takes(prepared.state, node))


def fitting_on(pod: Pod, snapshot: Snapshot, name: str, enough: int) -> int:
    """How many equal pods a node takes one after the other, up to `enough`.

    They are counted if each filter can say how many it admits, and otherwise placed one by one.

    Raises:
        KeyError: there is no such node.
    """
    most, exact = bound_on(pod, snapshot, name, enough)
    for number in range(0 if exact else most):
        if number and fit_on(pod, snapshot, name) is not None:
            return number
        snapshot = assume(numbered(pod, number), snapshot, name)
    return most


def bound_on(pod: Pod, snapshot: Snapshot, name: str, enough: int) -> tuple[int, bool]:
    """An upper bound of the equal pods that a node takes, up to `enough`, and whether the bound is exact.

    If it is exact, pods on other nodes do not matter.

    Raises:
        KeyError: there is no such node.
    """
    node = snapshot.node(name)
    if node is None:
        raise KeyError(name)
    charge(1)
    begun = prepare(pod, snapshot)
    if isinstance(begun, Status) or (begun.left is not None and name not in begun.left):
        return 0, True
    if judged([(plugin.filter, state) for plugin, state in begun.active], node) is not None:
        return 0, True
    counts = [plugin.takes(state, node) if plugin.takes is not None else None for plugin, state in begun.active]
    known = [count for count in counts if count is not None]
    return min(enough, *known, ANY_NUMBER), len(known) == len(counts)


def numbered(pod: Pod, number: int) -> Pod:
    """One of several equal pods, with its own name."""
    name = f"{pod.meta.name}-{number}"
    return replace(pod, meta=replace(pod.meta, name=name, uid=name))
