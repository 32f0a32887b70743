"""The nodes that the DaemonSet controller chooses, and the pod that it makes for one of them.

Behaviour: pkg/controller/daemon (daemon_controller.go, util/daemonset_util.go), 1.34.
"""

from __future__ import annotations

from collections.abc import Iterable

from kubelint_gpu.kube.gpu.gpu_labels import HOSTNAME
from kubelint_gpu.kube.objects.affinity import SpreadConstraint
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.taints import Toleration, untolerated
from kubelint_gpu.kube.values.fields import INT32
from kubelint_gpu.kube.values.selectors import NodeSelector, NodeSelectorTerm, Requirement
from kubelint_gpu.values import replace

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
    """The nodes for which the controller creates a pod. It ignores their free resources.

    With `staying`, the nodes on which it leaves an existing pod: NoSchedule taints do not matter then.
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
        if not untolerated(taints, tolerated):
            found.append(node.name)
    return tuple(found)


def spread_on_own_node(constraints: Iterable[SpreadConstraint]) -> tuple[SpreadConstraint, ...]:
    """The spread constraints of a daemon pod, whose required affinity names one node.

    A constraint that honors the affinity counts only this node: its domain has the fewest pods, whatever their number,
    unless `minDomains` takes the fewest to be 0.
    """
    found = []
    for one in constraints:
        if not (one.do_not_schedule and one.honor_affinity):
            found.append(one)
            continue
        found.append(replace(one, max_skew=INT32))
        if one.min_domains > 1:
            found.append(replace(one, topology_key=HOSTNAME, min_domains=INT32))
    return tuple(found)


def pinned_pod(pod: Pod, node_name: str) -> Pod:
    """The pod as the controller creates it for a node: with other required terms of its node affinity."""
    only = NodeSelector((NodeSelectorTerm(fields=(Requirement(_NAME, "In", (node_name,)),)),))
    return replace(pod, spec=replace(pod.spec, node_affinity=only))
