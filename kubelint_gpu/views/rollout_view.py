"""The simulated rollout behind a finding, as a picture of each moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kubelint_gpu.findings.picture import Holding, NodeMoment, RolloutFrame, RolloutPicture, Row, StageNode
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.gpus.gpu_models import is_accelerator
from kubelint_gpu.inventory.view.node_rows import DeviceCount, abbreviated, node_devices, owner_of
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.dra.pod_claims import held_devices
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import is_extended, running_requests
from kubelint_gpu.messages.wording import amount, bare
from kubelint_gpu.simulation.search.trace import Frame, FrameGroup, Trace, course
from kubelint_gpu.values import replace

MOST_NODES = 12
"""Nodes, or groups of equal ones, that are shown; a reader compares no more at a glance."""

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
