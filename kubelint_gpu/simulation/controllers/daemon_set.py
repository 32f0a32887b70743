"""What the DaemonSet controller does: on which nodes its pods run, how they look, and how they are replaced.

Behaviour: pkg/controller/daemon (daemon_controller.go, update.go, util/daemonset_util.go), 1.34.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.rolling import DaemonSetStrategy
from kubelint_gpu.kube.objects.taints import Toleration, first_untolerated
from kubelint_gpu.kube.values.selectors import NodeSelector, NodeSelectorTerm, Requirement
from kubelint_gpu.values import dataclass, replace

_NAME = "metadata.name"
_TOLERATED = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
_HOST_NETWORK = ("node.kubernetes.io/network-unavailable", "NoSchedule")


@dataclass(frozen=True, slots=True)
class DaemonSetLimits:
    """maxSurge and maxUnavailable resolved to nodes."""

    surge: int
    unavailable: int


@dataclass(frozen=True, slots=True)
class OnNode:
    """The pods of a DaemonSet on one node.

    `old` and `new` are None where there is no such pod that is not terminating, else whether it is available.
    `leaving` says that a terminating one is still there.
    """

    old: bool | None = None
    new: bool | None = None
    leaving: bool = False


@dataclass(frozen=True, slots=True)
class Replacement:
    """What one sync does: positions of nodes on which it deletes an old pod, creates a new one, or replaces a lost one.

    Of `delete_one_of` and `create_one_of` it takes as many as the bounds allow, in no particular order.
    """

    delete: tuple[int, ...] = ()
    create: tuple[int, ...] = ()
    delete_one_of: tuple[int, ...] = ()
    create_one_of: tuple[int, ...] = ()


def tolerations(spec: PodSpec) -> tuple[Toleration, ...]:
    """The tolerations of a daemon pod: its template's and those that the controller adds."""
    added = (*_TOLERATED, _HOST_NETWORK) if spec.host_network else _TOLERATED
    found = list(spec.tolerations)
    for key, effect in added:
        toleration = Toleration(key, "Exists", "", effect)
        if toleration not in found:
            found.append(toleration)
    return tuple(found)


def daemon_nodes(spec: PodSpec, nodes: Iterable[Node], *, staying: bool = False) -> tuple[str, ...]:
    """The nodes for which the controller makes a pod: what is free on them, it does not ask.

    With `staying`, those on which it leaves a pod that is there: NoSchedule taints do not matter to that one.
    """
    tolerated = tolerations(spec)
    found = []
    for node in nodes:
        labels = node.labels
        if spec.node_name and spec.node_name != node.name:
            continue
        if any(labels.get(key) != value for key, value in (spec.node_selector or {}).items()):
            continue
        if spec.node_affinity is not None and not spec.node_affinity.matches(labels, node.name):
            continue
        taints = tuple(one for one in node.taints if (one.effect == "NoExecute" if staying else one.blocks))
        if first_untolerated(taints, tolerated) is None:
            found.append(node.name)
    return tuple(found)


def pinned_pod(pod: Pod, node_name: str) -> Pod:
    """The pod as the controller makes it for a node: the required terms of its node affinity are replaced."""
    only = NodeSelector((NodeSelectorTerm(fields=(Requirement(_NAME, "In", (node_name,)),)),))
    return replace(pod, spec=replace(pod.spec, node_affinity=only))


def resolve(strategy: DaemonSetStrategy, nodes: int) -> DaemonSetLimits:
    """Both are shares of the nodes, rounded up; if both come to 0, one pod may be unavailable."""
    surge = strategy.max_surge.of(nodes, round_up=True)
    unavailable = strategy.max_unavailable.of(nodes, round_up=True)
    return DaemonSetLimits(surge, 1 if surge == 0 and unavailable == 0 else unavailable)


def sync(bounds: DaemonSetLimits, nodes: Sequence[OnNode]) -> Replacement:
    """What one sync of a rolling update does with the nodes that shall have a pod."""
    return _surging(bounds.surge, nodes) if bounds.surge else _replacing(bounds.unavailable, nodes)


def _replacing(most: int, nodes: Sequence[OnNode]) -> Replacement:
    unavailable = 0
    broken: list[int] = []
    candidates: list[int] = []
    lost: list[int] = []
    for index, on in enumerate(nodes):
        if on.old is None and on.new is None and not on.leaving:
            lost.append(index)
        if (on.old is None) == (on.new is None):
            unavailable += 1
        elif on.new is not None:
            unavailable += not on.new
        elif on.old:
            candidates.append(index)
        else:
            broken.append(index)
            unavailable += 1
    return Replacement(tuple(broken), tuple(lost), tuple(candidates) if unavailable < most else ())


def _surging(most: int, nodes: Sequence[OnNode]) -> Replacement:
    surging = 0
    delete: list[int] = []
    create: list[int] = []
    candidates: list[int] = []
    for index, on in enumerate(nodes):
        if on.old is None:
            if on.new is None and not on.leaving:
                create.append(index)
        elif on.new is None:
            (candidates if on.old else create).append(index)
        elif on.new:
            delete.append(index)
        else:
            surging += 1
    return Replacement(tuple(delete), tuple(create), (), tuple(candidates) if surging < most else ())
