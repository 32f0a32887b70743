"""The declared cluster and the simulated rollout behind a finding, as pictures that formats draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kubelint_gpu.findings.picture import (
    ClassPicture,
    ClusterPicture,
    Holding,
    NodeGroup,
    NodeMoment,
    RolloutFrame,
    RolloutPicture,
    Row,
    StageNode,
)
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.gpus.gpu_models import is_accelerator
from kubelint_gpu.inventory.view.node_rows import (
    DeviceCount,
    NodeRow,
    abbreviated,
    amount_text,
    node_classes,
    node_devices,
    owner_of,
)
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.dra.pod_claims import held_devices
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import is_extended, running_requests
from kubelint_gpu.messages.wording import amount, bare
from kubelint_gpu.simulation.search.trace import Frame, FrameGroup, Trace, course
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.cluster_context import ClusterContext

MOST_CLASSES, MOST_GROUPS = 24, 12
MOST_NODES = 12
"""Nodes, or groups of equal ones, that are shown; a reader compares no more at a glance."""

_PRODUCT = "nvidia.com/gpu.product"
_ON_ITS_WAY = ("nominated", "pending")
_NAMES = 4
_SHARING = "nvidia.com/gpu.sharing-strategy"
_SHARED = ("time-slicing", "mps")
_PLAIN = {"nvidia.com/gpu": "GPU", "nvidia.com/gpu.shared": "GPU share", "amd.com/gpu": "GPU", "cpu": "CPU"}

History = tuple[NodeMoment, ...]


def picture(trace: Trace, steps: int) -> RolloutPicture | None:
    """The moments of a trace with `steps` steps; None if it was not replayed."""
    if trace.played is None:
        return None
    lacks = [one for waiting in trace.waiting for lack in waiting.lacks for one in (lack, *lack.also)]
    cluster = trace.played.cluster
    found = course(trace.played, {lack.node for lack in lacks})
    short = tuple(dict.fromkeys(lack.resource for lack in lacks if lack.resource))
    standing = grouped((pod.spec.node_name, pod) for pod in cluster.pods)
    devices = node_devices(cluster, cluster.version, found.nodes)
    equal: dict[tuple[tuple[Row, ...], History], list[str]] = {}
    for index, node in enumerate(found.nodes):
        rows = (*_rows(node, short), *device_rows(node.name, devices.get(node.name, ())))
        fixed = settled(standing.get(node.name, ()), rows)
        history = tuple(_node_moment(moment, index, node.name, rows, fixed) for moment in found.moments)
        equal.setdefault((rows, history), []).append(node.name)
    ranked = sorted(equal.items(), key=lambda entry: not _busy(entry[0][1], found.moments))
    shown = ranked[:MOST_NODES]
    moments = [
        RolloutFrame(tuple(history[number] for (_, history), _ in shown), tuple(map(_holding, moment.waiting)))
        for number, moment in enumerate(found.moments)
    ]
    refused = tuple(
        Holding(one.owner.partition("/")[2], "new" if one.new else "", "refused", one.count)
        for one in trace.waiting
        if one.refusal
    )
    if refused:
        moments.append(replace(moments[-1], waiting=(*moments[-1].waiting, *refused)))
    return RolloutPicture(
        tuple(StageNode(folded(names), len(names), rows) for (rows, _), names in shown),
        tuple(moments),
        tuple(min(step, len(moments) - 1) for step in range(steps)),
        left_out=sum(len(names) for _, names in ranked[MOST_NODES:]),
    )


def row(resource: str, total: int, labels: Mapping[str, str]) -> Row:
    """The amount of a resource on a node with these labels."""
    name = _PLAIN.get(resource, resource)
    if name == "GPU" and labels.get(_SHARING) in _SHARED:
        name = "GPU share"
    return Row(resource, name, total, is_extended(resource), bare(resource, total))


def device_rows(node: str, devices: Iterable[DeviceCount]) -> tuple[Row, ...]:
    """The devices of a node that claims may ask for, by the driver's name for the model."""
    named = ((one, tuple(tuple([_name(part, node) for part in unit]) for unit in one.units)) for one in devices)
    return tuple(Row(one.label, one.label, one.number, True, str(one.number), units) for one, units in named)


def settled(pods: Iterable[Pod], rows: Sequence[Row]) -> list[Holding]:
    """The running pods of a node by owner, without those that hold nothing of the rows."""
    counts: dict[str, int] = {}
    amounts: dict[str, list[int]] = {}
    devices: dict[str, list[DeviceID]] = {}
    where = ""
    for pod in pods:
        taken, where = running_requests(pod), pod.spec.node_name
        mine = [1 if one.resource == "pods" else taken.get(one.resource, 0) for one in rows]
        if any(mine) or pod.allocations:
            name = owner_of(pod)
            before = amounts.get(name, [0] * len(rows))
            counts[name] = counts.get(name, 0) + (not pod.is_claim)
            amounts[name] = [had + more for had, more in zip(before, mine, strict=True)]
            devices.setdefault(name, []).extend(held_devices(pod))
    held = {name: _held(rows, amounts[name], devices[name], where) for name in sorted(counts)}
    return [Holding(name, "", "running", counts[name], had, "", things) for name, (had, things) in held.items()]


def _held(
    rows: Sequence[Row], amounts: Iterable[int], devices: Iterable[DeviceID], node: str
) -> tuple[tuple[int, ...], tuple[tuple[str, ...], ...]]:
    """Return the amounts of each row that pods have, and the devices."""
    names = tuple(dict.fromkeys(_name(one, node) for one in devices))
    things = tuple(tuple([name for name in names if row.positions((name,))]) for row in rows)
    numbers = tuple(
        len(row.positions(names)) if row.units else number for row, number in zip(rows, amounts, strict=True)
    )
    return numbers, things


def _name(device: DeviceID, node: str) -> str:
    """The name of a device on its node: pools usually have the name of their node."""
    return device.device if device.pool == node else f"{device.pool}/{device.device}"


def folded(names: Sequence[str]) -> str:
    """A few names in full, equal beginnings folded, many by number."""
    texts = abbreviated(names)
    if len(texts) <= _NAMES:
        return ", ".join(texts)
    return f"{', '.join(texts[:_NAMES])} and others"


def _rows(node: Node, short: Sequence[str]) -> tuple[Row, ...]:
    """GPUs and other accelerators, and the resources that are short in this run."""
    resources = [name for name, total in sorted(node.allocatable.items()) if total and is_accelerator(name)]
    resources += [name for name in short if name in node.allocatable and name not in resources]
    return tuple(row(name, node.allocatable[name], node.labels) for name in resources)


def _busy(history: History, moments: Sequence[Frame]) -> bool:
    """Whether anything changes there, so that the node should be shown."""
    return len(set(history)) > 1 or any(one.age for one in history[0].holdings) or len(moments) == 1


def _node_moment(moment: Frame, index: int, node: str, rows: Sequence[Row], standing: Sequence[Holding]) -> NodeMoment:
    holdings = (*(_holding(group, rows, node) for group in moment.nodes[index]), *standing)
    here = [one for one in holdings if one.phase not in _ON_ITS_WAY]
    used = [row.held(place, here) for place, row in enumerate(rows)]
    told = tuple(f"{bare(one.resource, number)} of {one.whole}" for one, number in zip(rows, used, strict=True))
    return NodeMoment(not moment.absent[index], holdings, told)


def _holding(group: FrameGroup, rows: Sequence[Row] = (), node: str = "") -> Holding:
    asked = [amount(name, number) for name, number in group.takes.items() if number and name != "pods"]
    asked.sort(key=lambda text: "/" not in text)
    asked[:0] = [f"devices of claim {name}" for name in group.claims]
    amounts, things = _held(rows, [group.takes.get(one.resource, 0) * group.count for one in rows], group.devices, node)
    return Holding(
        group.owner.partition("/")[2],
        ("new" if group.new else "old") if group.rolls else "",
        group.phase,
        group.count,
        amounts,
        ", ".join(asked),
        things,
    )


def cluster_picture(world: ClusterContext) -> ClusterPicture | None:
    """The cluster; None without a usable inventory."""
    inventory = world.inventory
    if inventory is None or not world.usable:
        return None
    running = (pod for pod in world.base.pods if not pod.finished)
    here = grouped((pod.spec.node_name, pod) for pod in running if pod.spec.node_name)
    classes = node_classes(inventory)
    devices = node_devices(world.base, world.base.version, world.base.nodes)
    return ClusterPicture(
        world.name or inventory.name,
        inventory.kubernetes_version or "",
        sum(len(found.nodes) for found in classes),
        inventory.complete,
        tuple(_class(found, here, devices) for found in classes[:MOST_CLASSES]),
        sum(len(found.nodes) for found in classes[MOST_CLASSES:]),
    )


def _class(
    found: NodeRow, here: Mapping[str, list[Pod]], devices: Mapping[str, tuple[DeviceCount, ...]]
) -> ClassPicture:
    rows = tuple(row(name, found.allocatable[name], found.labels) for name in found.accelerators)
    groups: dict[tuple[tuple[Row, ...], tuple[Holding, ...], int], list[str]] = {}
    for name in found.nodes:
        pods, mine = here.get(name, []), (*rows, *device_rows(name, devices.get(name, ())))
        holdings = tuple(settled(pods, mine))
        others = sum(not pod.is_claim for pod in pods) - sum(one.count for one in holdings)
        groups.setdefault((mine, holdings, others), []).append(name)
    ranked = sorted(groups.items(), key=lambda group: -sum(sum(one.amounts) for one in group[0][1]))
    told = tuple(NodeGroup(folded(names), len(names), *group) for group, names in ranked[:MOST_GROUPS])
    return ClassPicture(
        folded(found.nodes),
        len(found.nodes),
        _devices(found, rows),
        "" if "cpu" in found.unlimited else amount_text("cpu", found.allocatable.get("cpu", 0)),
        "" if "memory" in found.unlimited else amount_text("memory", found.allocatable.get("memory", 0)),
        found.taints,
        found.unhealthy,
        found.unschedulable,
        told,
        sum(len(names) for _, names in ranked[MOST_GROUPS:]),
    )


def _devices(found: NodeRow, rows: Sequence[Row]) -> str:
    """`2 x NVIDIA-A100-PCIE-40GB`, and other devices."""
    product = found.labels.get(_PRODUCT, "")
    told = []
    for one in rows:
        plain = one.resource.removeprefix("nvidia.com/")
        name = product if product and plain in ("gpu", "gpu.shared") else one.resource
        told.append(f"{one.total} \u00d7 {name}")
    told += [f"{number} \u00d7 {label}" for label, number in found.devices]
    return ", ".join(told)
