"""The kubelet's admission of a pod that names its node, which no scheduler sees.

Behaviour: first the device manager gives devices to container after container (pkg/kubelet/cm/devicemanager, called by
the admit handler before the predicates), then `predicateAdmitHandler` of pkg/kubelet/lifecycle/predicate.go and
`AdmissionCheck` of the scheduler, 1.34: requests, node affinity, host ports and NoExecute taints, in this order;
cordons, NoSchedule taints, pod affinity, spreading and volumes are ignored.
Every extended resource of a node is assumed to be a device plugin's.
An extended resource that the node does not know is removed from the pod before it is checked.
"""

from __future__ import annotations

from kubelint_gpu.kube.admission.defaults import without_resources
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import is_extended, pod_requests
from kubelint_gpu.kube.objects.taints import untolerated
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import node_affinity, node_ports, taint_toleration
from kubelint_gpu.values import Value, replace

UNEXPECTED = "UnexpectedAdmissionError"
NOT_TOLERATED = NodeReason("had taints that the pod didn't tolerate")
_FIRST = ("cpu", "memory", "ephemeral-storage")


class KubeletAdmission(Value):
    """The kubelet's answer.

    Attributes:
        reason: `status.reason` of the failed pod (`UnexpectedAdmissionError` for too few devices, `OutOfcpu`); empty if
            the pod may start.
        message: the text with it.
        devices: the extended resource with too few devices; empty for other reasons.
        dropped: extended resources that the node does not know: the pod starts without them.
    """

    reason: str = ""
    message: str = ""
    devices: str = ""
    dropped: tuple[str, ...] = ()


def kubelet_admission(pod: Pod, node: NodeInfo, snapshot: Snapshot) -> KubeletAdmission:
    """Whether the kubelet of a node starts a pod that names the node, beside the pods that run there."""
    allocatable = node.node.allocatable
    asked = pod_requests(pod.spec, pod_level=snapshot.behaviour.pod_level_resources)
    dropped = tuple(sorted(name for name in asked if asked[name] and is_extended(name) and name not in allocatable))
    pod = replace(pod, spec=without_resources(pod.spec, dropped.__contains__))
    return replace(_unallocated(pod, node) or _refusal(pod, node, snapshot), dropped=dropped)


def refusal_reason(resource: str) -> str:
    """`status.reason` of a pod that the kubelet fails because the node has too little of a resource."""
    return UNEXPECTED if is_extended(resource) else f"OutOf{resource}"


def _unallocated(pod: Pod, node: NodeInfo) -> KubeletAdmission | None:
    """The failure of the first container with too few devices; None if there are enough for all.

    Containers reuse the devices of ordinary init containers, which have ended by then.
    """
    free = {name: node.node.allocatable[name] - node.used.get(name, 0) for name in node.node.allocatable}
    reusable: dict[str, int] = {}
    ordinary = [(container, not container.sidecar) for container in pod.spec.init_containers]
    for container, ends in (*ordinary, *((container, False) for container in pod.spec.containers)):
        for name in sorted(filter(is_extended, container.requests)):
            asked = container.requests[name] // 1000
            again = min(asked, reusable.get(name, 0))
            needed = asked - again
            if needed > max(0, free.get(name, 0)):
                return _no_device(name, needed, max(0, free.get(name, 0)), node.node.allocatable.get(name, 0))
            free[name] = free.get(name, 0) - needed
            reusable[name] = reusable.get(name, 0) + (needed if ends else -again)
    return None


def _no_device(name: str, needed: int, available: int, capacity: int) -> KubeletAdmission:
    why = f"requested number of devices unavailable for {name}. Requested: {needed}, Available: {available}"
    if not capacity:
        why = f"no healthy devices present; cannot allocate unhealthy devices {name}"
    return KubeletAdmission(UNEXPECTED, f"Allocate failed due to {why}, which is unexpected", name)


def _refusal(pod: Pod, node: NodeInfo, snapshot: Snapshot) -> KubeletAdmission:
    allocatable, used = node.node.allocatable, node.used
    if node.pod_count >= allocatable.get("pods", 0):
        return _out_of("pods", 1, node.pod_count, allocatable.get("pods", 0))
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
    if untolerated(executing, pod.spec.tolerations):
        return _failed(taint_toleration.NAME, NOT_TOLERATED)
    return KubeletAdmission()


def _out_of(resource: str, requested: int, used: int, capacity: int) -> KubeletAdmission:
    amounts = f"requested: {requested}, used: {used}, capacity: {capacity}"
    return KubeletAdmission(f"OutOf{resource}", f"Node didn't have enough resource: {resource}, {amounts}")


def _failed(predicate: str, reason: str) -> KubeletAdmission:
    return KubeletAdmission(predicate, f"Predicate {predicate} failed: {reason}")
