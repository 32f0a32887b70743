"""What the kubelet says of a pod that names its node: the part of scheduling that is left when nobody schedules.

Behaviour: `predicateAdmitHandler` of pkg/kubelet/lifecycle/predicate.go and `AdmissionCheck` of the scheduler, 1.34:
requests, node affinity, host ports and NoExecute taints, in this order; cordons, NoSchedule taints, pod affinity,
spreading and volumes are not looked at.
An extended resource that the node does not know at all is taken away from the pod before it is checked.
"""

from __future__ import annotations

from kubelint_gpu.kube.admission import without_resources
from kubelint_gpu.kube.pod import Pod
from kubelint_gpu.kube.requests import is_extended, pod_requests
from kubelint_gpu.kube.taints import first_untolerated
from kubelint_gpu.scheduler.node_info import NodeInfo
from kubelint_gpu.scheduler.plugins import node_affinity, node_ports
from kubelint_gpu.scheduler.snapshot import Snapshot
from kubelint_gpu.values import dataclass, replace

NOT_TOLERATED = "node(s) had taints that the pod didn't tolerate"
_FIRST = ("cpu", "memory", "ephemeral-storage")


@dataclass(frozen=True, slots=True)
class Admission:
    """The kubelet's answer.

    Attributes:
        reason: `status.reason` of the pod that it fails (`OutOfnvidia.com/gpu`); empty where it lets the pod start.
        message: the text with it.
        dropped: extended resources that the node does not know: the pod starts without them.
    """

    reason: str = ""
    message: str = ""
    dropped: tuple[str, ...] = ()


def kubelet_admission(pod: Pod, node: NodeInfo, snapshot: Snapshot) -> Admission:
    """Whether the kubelet of a node lets a pod start that was put there by hand, beside the pods that run there."""
    allocatable = node.node.allocatable
    asked = pod_requests(pod.spec, pod_level=snapshot.behaviour.pod_level_resources)
    dropped = tuple(sorted(name for name in asked if asked[name] and is_extended(name) and name not in allocatable))
    pod = replace(pod, spec=without_resources(pod.spec, dropped.__contains__))
    return replace(_refusal(pod, node, snapshot), dropped=dropped)


def _refusal(pod: Pod, node: NodeInfo, snapshot: Snapshot) -> Admission:
    allocatable, used = node.node.allocatable, node.used
    if len(node.pods) >= allocatable.get("pods", 0):
        return _out_of("pods", 1, len(node.pods), allocatable.get("pods", 0))
    asked = pod_requests(pod.spec, pod_level=snapshot.behaviour.pod_level_resources)
    for name in sorted(asked, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name)):
        if asked[name] and asked[name] > allocatable.get(name, 0) - used.get(name, 0):
            return _out_of(name, asked[name], used.get(name, 0), allocatable.get(name, 0))
    if not node_affinity.matches_node(pod.spec, node):
        return _failed(node_affinity.NAME, node_affinity.REASON)
    ports = node_ports.PLUGIN.pre_filter(pod, snapshot)
    if not ports.skip and node_ports.PLUGIN.filter(ports.state, node) is not None:
        return _failed(node_ports.NAME, node_ports.REASON)
    executing = [taint for taint in node.taints if taint.effect == "NoExecute"]
    if first_untolerated(executing, pod.spec.tolerations) is not None:
        return _failed("TaintToleration", NOT_TOLERATED)
    return Admission()


def _out_of(resource: str, requested: int, used: int, capacity: int) -> Admission:
    amounts = f"requested: {requested}, used: {used}, capacity: {capacity}"
    return Admission(f"OutOf{resource}", f"Node didn't have enough resource: {resource}, {amounts}")


def _failed(predicate: str, reason: str) -> Admission:
    return Admission(predicate, f"Predicate {predicate} failed: {reason}")
