"""Host ports that another pod of the node has."""

from __future__ import annotations

from kubelint_gpu.kube.objects.pod import HostPort, Pod
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import SKIP, Code, Plugin, Prepared, Status
from kubelint_gpu.scheduler.framework.pod_memory import host_ports
from kubelint_gpu.scheduler.framework.snapshot import Snapshot

NAME = "NodePorts"
REASON = "node(s) didn't have free ports for the requested pod ports"
ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - what an empty hostIP means
_REJECTED = Status(NAME, Code.UNSCHEDULABLE, (REASON,))


def _pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    ports = snapshot.memory.of(NAME, pod.spec, host_ports)
    return Prepared(ports, by_load=ports) if ports else SKIP


def _filter(ports: tuple[HostPort, ...], node: NodeInfo) -> Status | None:
    for taken in node.ports:
        for wanted in ports:
            if conflict(wanted, taken):
                return _REJECTED
    return None


def conflict(wanted: HostPort, taken: HostPort) -> bool:
    """Whether two host ports exclude each other; addresses are compared as texts."""
    return (
        wanted.port == taken.port
        and wanted.protocol == taken.protocol
        and (wanted.ip == taken.ip or ANY_ADDRESS in (wanted.ip, taken.ip))
    )


PLUGIN = Plugin(NAME, _pre_filter, _filter)
