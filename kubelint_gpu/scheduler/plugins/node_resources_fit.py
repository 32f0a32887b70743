"""Requests against what a node has free."""

from __future__ import annotations

from functools import lru_cache

from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.scheduler.framework.facts import Facts, Held, never, no_token, nothing, on_one_node
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Code, Plugin, Prepared, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources import served_by_devices
from kubelint_gpu.values import Value, replace

NAME = "NodeResourcesFit"
TOO_MANY_PODS = "Too many pods"
INSUFFICIENT = "Insufficient {resource}"
_FIRST = {"cpu": 0, "memory": 1, "ephemeral-storage": 2}
_CODES = (Code.UNSCHEDULABLE, Code.UNRESOLVABLE)


class RequestState(Value):
    """Nonzero requests in the order in which they are checked, and whether a request above allocatable is final.

    kube-scheduler walks extended resources in the order of a Go map, which for a few is mostly that of insertion.
    Resources in `by_devices` are served by devices on nodes where none of them is allocatable.
    """

    requests: tuple[tuple[str, int], ...]
    oversize_is_final: bool
    by_devices: frozenset[str] = frozenset()


def _pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    found = snapshot.memory.of(NAME, pod.spec, lambda spec: _prepared(spec, snapshot))
    if not snapshot.cluster.device_classes:
        return found
    by_devices = served_by_devices(snapshot).intersection([name for name, _ in found.state.requests])
    if not by_devices:
        return found
    state = replace(found.state, by_devices=by_devices)
    return Prepared(state, by_load=state)


def _prepared(spec: PodSpec, snapshot: Snapshot) -> Prepared:
    asked = pod_requests(spec, pod_level=snapshot.behaviour.pod_level_resources).items()
    requests = [item for item in asked if item[1]]
    requests.sort(key=lambda item: _FIRST.get(item[0], len(_FIRST)))
    state = RequestState(tuple(requests), snapshot.behaviour.oversize_is_final)
    return Prepared(state, by_load=state)


def _filter(state: RequestState, node: NodeInfo) -> Status | None:
    allocatable = node.node.allocatable
    used = node.used
    lacking: list[str] = []
    if node.pod_count >= allocatable.get("pods", 0):
        lacking.append("pods")
    final = False
    for resource, amount in state.requests:
        capacity = allocatable.get(resource, 0)
        if not capacity and resource in state.by_devices:
            continue
        if amount > capacity - used.get(resource, 0):
            lacking.append(resource)
            final = final or amount > capacity
    return _status(tuple(lacking), final and state.oversize_is_final) if lacking else None


@lru_cache(maxsize=4096)
def _status(lacking: tuple[str, ...], final: bool) -> Status:
    reasons = tuple(TOO_MANY_PODS if one == "pods" else INSUFFICIENT.format(resource=one) for one in lacking)
    return Status(NAME, _CODES[final], reasons, lacking)


def takes(state: RequestState, node: NodeInfo) -> int:
    """How many equal pods still fit on a node by their requests."""
    allocatable, used = node.node.allocatable, node.used
    places = allocatable.get("pods", 0) - node.pod_count
    rooms = ((allocatable.get(name, 0) - used.get(name, 0)) // amount for name, amount in state.requests)
    return max(0, min(places, *rooms) if state.requests else places)


def _spared(spec: PodSpec) -> PodSpec:
    plain = tuple(replace(one, requests=EMPTY, limits=EMPTY) for one in spec.containers)
    return replace(spec, containers=plain, init_containers=(), overhead=EMPTY, resources=None)


PLUGIN = Plugin(
    NAME,
    _pre_filter,
    _filter,
    facts=on_one_node(
        Facts(
            Held.RESOURCE, asks=never, counted=True, excludes=never, token=no_token, spared=_spared, pod_labels=nothing
        )
    ),
    takes=takes,
)
