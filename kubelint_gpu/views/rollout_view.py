"""The simulated rollout behind a finding, as a picture of each moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kubelint_gpu.findings.picture import Holding, NodeMoment, RolloutFrame, RolloutPicture, Row, StageNode
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.gpus.accelerators import is_accelerator
from kubelint_gpu.inventory.view.node_names import abbreviated
from kubelint_gpu.inventory.view.node_rows import owner_of
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import is_extended, running_requests
from kubelint_gpu.messages.wording import amount, bare
from kubelint_gpu.simulation.search.frames import Frame, FrameGroup, course
from kubelint_gpu.simulation.search.trace import Trace
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
    """The moments of a trace that is told in so many steps; None where it was not replayed."""
    if trace.played is None:
        return None
    lacks = [one for waiting in trace.waiting for lack in waiting.lacks for one in (lack, *lack.also)]
    found = course(trace.played, {lack.node for lack in lacks})
    short = tuple(dict.fromkeys(lack.resource for lack in lacks if lack.resource))
    standing = grouped((pod.spec.node_name, pod) for pod in trace.played.standing)
    equal: dict[tuple[tuple[Row, ...], History], list[str]] = {}
    for index, node in enumerate(found.nodes):
        rows = _rows(node, short)
        fixed = settled(standing.get(node.name, ()), rows)
        history = tuple(_on(moment, index, rows, fixed) for moment in found.moments)
        equal.setdefault((rows, history), []).append(node.name)
    ranked = sorted(equal.items(), key=lambda entry: not _busy(entry[0][1], found.moments))
    shown = ranked[:MOST_NODES]
    moments = [
        RolloutFrame(
            tuple(history[number] for (_, history), _ in shown), tuple(_holding(group, ()) for group in moment.waiting)
        )
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
    """What a node with these labels has of a resource."""
    name = _PLAIN.get(resource, resource)
    if name == "GPU" and labels.get(_SHARING) in _SHARED:
        name = "GPU share"
    return Row(resource, name, total, is_extended(resource), bare(resource, total))


def settled(pods: Iterable[Pod], rows: Sequence[Row]) -> list[Holding]:
    """Running pods by owner; those that hold nothing of the rows are left out."""
    counts: dict[str, int] = {}
    amounts: dict[str, list[int]] = {}
    for pod in pods:
        taken = running_requests(pod)
        mine = [1 if one.resource == "pods" else taken.get(one.resource, 0) for one in rows]
        if any(mine):
            name = owner_of(pod)
            before = amounts.get(name, [0] * len(rows))
            counts[name] = counts.get(name, 0) + 1
            amounts[name] = [had + more for had, more in zip(before, mine, strict=True)]
    return [Holding(name, "", "running", counts[name], tuple(amounts[name])) for name in sorted(counts)]


def folded(names: Sequence[str]) -> str:
    """A few names in full, equal beginnings folded, many by number."""
    texts = abbreviated(names)
    if len(texts) <= _NAMES:
        return ", ".join(texts)
    return f"{', '.join(texts[:_NAMES])} and others"


def _rows(node: Node, short: Sequence[str]) -> tuple[Row, ...]:
    """GPUs and their like, and what runs short in this story."""
    resources = [name for name, total in sorted(node.allocatable.items()) if total and is_accelerator(name)]
    resources += [name for name in short if name in node.allocatable and name not in resources]
    return tuple(row(name, node.allocatable[name], node.labels) for name in resources)


def _busy(history: History, moments: Sequence[Frame]) -> bool:
    """Whether more happens there than that the same pods stand there throughout."""
    return len(set(history)) > 1 or any(one.age for one in history[0].holdings) or len(moments) == 1


def _on(moment: Frame, index: int, rows: Sequence[Row], standing: Sequence[Holding]) -> NodeMoment:
    holdings = (*(_holding(group, rows) for group in moment.nodes[index]), *standing)
    used = [sum(one.amounts[place] for one in holdings if one.phase not in _ON_ITS_WAY) for place in range(len(rows))]
    told = tuple(f"{bare(one.resource, number)} of {one.whole}" for one, number in zip(rows, used, strict=True))
    return NodeMoment(not moment.absent[index], holdings, told)


def _holding(group: FrameGroup, rows: Sequence[Row]) -> Holding:
    asked = [amount(name, number) for name, number in group.takes.items() if number and name != "pods"]
    asked.sort(key=lambda text: "/" not in text)
    return Holding(
        group.owner.partition("/")[2],
        ("new" if group.new else "old") if group.rolls else "",
        group.phase,
        group.count,
        tuple(group.takes.get(one.resource, 0) * group.count for one in rows),
        ", ".join(asked),
    )
