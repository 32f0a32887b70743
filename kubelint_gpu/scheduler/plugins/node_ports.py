"""Host ports that another pod of the node uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import HostPort, Pod, PodSpec
from kubelint_gpu.scheduler.framework.facts import Facts, Held, Keeps, Token, never, nothing, on_one_node, same_node
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.framework.plugin import SKIP, Code, Plugin, Prepared, Status
from kubelint_gpu.scheduler.framework.pod_memory import host_ports
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import replace

NAME = "NodePorts"
REASON = NodeReason("didn't have free ports for the requested pod ports")
ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - what an empty hostIP means
_REJECTED = Status(NAME, Code.UNSCHEDULABLE, (REASON,))


def _pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    ports = snapshot.memory.of(NAME, pod.spec, host_ports)
    return Prepared(ports, by_load=ports) if ports else SKIP


def _filter(ports: tuple[HostPort, ...], node: NodeInfo) -> Status | None:
    return _REJECTED if node.ports and conflicting(ports, node.ports) else None


def conflicting(wanted: Iterable[HostPort], taken: Iterable[HostPort]) -> set[int]:
    """The wanted host ports that are taken; addresses are compared as texts."""
    there: dict[tuple[int, str], set[str]] = {}
    for one in taken:
        there.setdefault((one.port, one.protocol), set()).add(one.ip)
    return {
        one.port
        for one in wanted
        if (found := there.get((one.port, one.protocol)))
        and (one.ip in found or one.ip == ANY_ADDRESS or ANY_ADDRESS in found)
    }


def taken(spec: PodSpec, other: PodSpec) -> list[int]:
    """The host ports that a pod asks for and another pod uses."""
    return sorted(conflicting(host_ports(spec), host_ports(other)))


def _tokens(pod: Pod) -> Iterator[str]:
    return (f"host port {port.port}/{port.protocol}" for port in host_ports(pod.spec))


def _token(_pods: Sequence[Pod], _wide: bool, _cluster: Cluster) -> Token | None:
    return lambda _, placed: tuple(
        sorted([(port.port, port.protocol, port.ip) for pod in placed for port in host_ports(pod.spec)])
    )


def _blockers(pod: Pod, _snapshot: Snapshot, _reason: str) -> Keeps:
    wanted = host_ports(pod.spec)
    return lambda other: same_node if conflicting(wanted, host_ports(other.spec)) else never


def _sought(pod: Pod, snapshot: Snapshot, node: str) -> tuple[str, ...]:
    """The ports that it wants and other pods use there."""
    info = snapshot.node(node)
    taken = info.ports if info is not None else ()
    return tuple(map(str, sorted(conflicting(host_ports(pod.spec), taken))))


def _spared(spec: PodSpec) -> PodSpec:
    return replace(
        spec,
        containers=tuple(replace(one, host_ports=()) for one in spec.containers),
        init_containers=tuple(replace(one, host_ports=()) for one in spec.init_containers),
    )


_FACTS = on_one_node(
    Facts(
        Held.PORT,
        pod_labels=nothing,
        asks=lambda pod: bool(host_ports(pod.spec)),
        counted=True,
        excludes=lambda pod, other: not set(_tokens(pod)).isdisjoint(_tokens(other)),
        tokens=_tokens,
        token=_token,
        blockers=_blockers,
        sought=_sought,
        spared=_spared,
    )
)
PLUGIN = Plugin(NAME, _pre_filter, _filter, facts=_FACTS, takes=lambda _ports, _node: 1)


def port_numbers(spec: PodSpec) -> tuple[int, ...]:
    """The ports that a pod uses on its node, in ascending order."""
    return tuple(sorted({one.port for one in host_ports(spec)}))
