"""Capacity and departures for a reader."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from kubelint_gpu.capacity.departures import Departure, Interruption, Move
from kubelint_gpu.capacity.full_cluster import FullCluster
from kubelint_gpu.capacity.quota_demand import quota_demands
from kubelint_gpu.capacity.supply import PoolShare, Surge
from kubelint_gpu.inventory.view.node_names import abbreviated
from kubelint_gpu.messages.display import visible
from kubelint_gpu.messages.wording import budget_names, counted, listed, verb

_HEADINGS = ("GPU", "POOL", "NODES", "GPUS", "OTHERS", "DECLARED", "PENDING", "FREE", "ONE BY ONE", "AT ONCE")
_OPTIONAL = frozenset({_HEADINGS.index(name) for name in ("POOL", "OTHERS", "PENDING")})
_LEFT = 2
_NARROWEST = 72
_NAMES = 4


def capacity_text(
    cluster: FullCluster,
    shares: Sequence[PoolShare],
    surges: Sequence[Surge],
    gone: Sequence[Departure],
    drains: Sequence[Interruption] | None,
    width: int,
) -> Iterator[str]:
    """Yield the lines of `kubelint-gpu capacity` for one cluster, at most `width` characters wide."""
    width = max(width, _NARROWEST)
    if cluster.world.name:
        yield f"Cluster {visible(cluster.world.name)}"
    if shares:
        yield from _table(shares, width)
        yield ""
        yield from textwrap.wrap(
            "DECLARED: the GPUs that declared pods hold at rest. PENDING: those that declared pods ask for and do not "
            "find. ONE BY ONE and AT ONCE: the spare GPUs that rollouts take if they come one after the other, or all "
            "at once. A workload that may have a pod fewer for a time takes none.",
            width,
        )
    else:
        yield "No node of the inventory has GPUs, so there is no table. Devices of claims are not counted."
    waiting = [one for one in cluster.groups if one.pending]
    yield from _section(
        "Pods that find no node at rest",
        [f"{one.name}: {one.pending} of {_pods(one.total, one.gpus)}" for one in waiting],
        width,
    )
    quotas = quota_demands(cluster)
    yield from _section(
        "Quotas that allow less than the pods of their namespace ask for", [one.sentence for one in quotas], width
    )
    tight = [one for one in shares if one.free < one.one_by_one]
    yield from _section(
        "Pools with too few spare GPUs to roll everything, even one after the other",
        [f"{one.name}: {one.free} free, and a rollout takes {one.one_by_one}" for one in tight],
        width,
    )
    stuck = [one for one in surges if not one.node]
    yield from _section(
        "Rollouts that find no room for a new pod beside the old ones",
        [f"{one.group.name}: {_pods(1, one.group.gpus)}" for one in stuck],
        width,
    )
    beside = [one for one in surges if one.node and not one.at_once]
    yield from _section(
        "Rollouts that find room alone, and not at the same moment as the others",
        [f"{one.group.name}: {_pods(1, one.group.gpus)}" for one in beside],
        width,
    )
    yield from _section("What cannot be lost", [line for one in gone for line in _loss(one)], width)
    yield from _section(
        "Drained one node after the other, and without a PodDisruptionBudget",
        [f"{one.group.name}: {_missing(one.pods, one.group.total)} ({one.node})" for one in drains or ()],
        width,
    )
    yield from _section("Not counted, for admission refuses their pods", cluster.refused, width)
    if drains is None:
        yield ""
        yield from textwrap.wrap(
            "Drains of one node after the other were not looked at: too many nodes and pods.", width
        )
    if not (waiting or stuck or beside or gone or drains or quotas or cluster.refused):
        yield ""
        yield "Every pod finds a node, every rollout finds room, and any one node can be lost."


def departure_text(one: Departure, width: int) -> Iterator[str]:
    """The lines of `kubelint-gpu drain`."""
    width = max(width, _NARROWEST)
    pods = sum(move.drained.pods for move in one.moves)
    yield f"{one.what}: {counted(pods, 'pod')} must move, {_found(pods, one.pending)}."
    for move in one.moves:
        yield from _wrapped(f"{move.group.name}: {_pods(move.drained.pods, move.group.gpus)}", width)
        for text in _move(move):
            yield from _wrapped(text, width, "    ")
    if one.lost[0]:
        gpus = f" ({counted(one.lost[1], 'GPU')})" if one.lost[1] else ""
        yield from _wrapped(f"{counted(one.lost[0], 'pod')} without a controller{gpus}: gone for good", width)


def _move(move: Move) -> Iterator[str]:
    if move.to:
        places = Counter(move.to)
        yield "goes to " + ", ".join(
            f"{name} ({number})" if len(move.to) > 1 else name for name, number in places.items()
        )
    stranded = move.drained.stranded
    if stranded:
        yield f"{counted(stranded, 'pod')} Pending: no other node takes {'it' if stranded == 1 else 'them'}"
    names, allowed = budget_names(move.drained.budgets), move.drained.allowed
    if move.drained.refused:
        yield f"blocked: {names} cover it, and the eviction API accepts only one"
    elif move.drained.blocked:
        yield f"blocked: {names} lets {counted(allowed, 'pod') if allowed else 'no pod'} be missing"
    elif move.drained.budgets:
        yield f"{names} lets {allowed} be missing at a time"
    else:
        yield f"no PodDisruptionBudget: {_missing(move.drained.pods, move.group.total)}"


def _missing(pods: int, total: int) -> str:
    if total == 1:
        return "its only pod is missing until the new one is ready"
    return f"{pods} of its {total} pods {'is' if pods == 1 else 'are'} missing at once"


def _loss(one: Departure) -> Iterator[str]:
    names = list(abbreviated(one.nodes))
    what = one.what if len(one.nodes) == 1 or one.what.startswith("zone") else f"any one of {_some(names)}"
    waiting: Counter[str] = Counter()
    for move in one.moves:
        waiting[move.group.name] += move.drained.stranded
    told = [f"{counted(number, 'pod')} of {name}" for name, number in waiting.items() if number]
    yield f"{what}: {_some(told)} {verb('stay', one.pending)} Pending"


def _section(title: str, lines: Sequence[str], width: int) -> Iterator[str]:
    if lines:
        yield ""
        yield f"{title}:"
    for line in lines:
        yield from _wrapped(line, width)


def _wrapped(text: str, width: int, indent: str = "  ") -> list[str]:
    return textwrap.wrap(
        visible(text), width, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False
    )


def _table(shares: Sequence[PoolShare], width: int) -> Iterator[str]:
    """One line for each pool, two if one is too narrow; empty columns are left out."""
    rows = [_cells(one) for one in shares]
    told = [
        index
        for index in range(len(_HEADINGS))
        if index not in _OPTIONAL or any(row[index] not in "-0" for row in rows)
    ]
    widths = [max(len(row[index]) for row in (_HEADINGS, *rows)) for index in told]
    names = sum(index < _LEFT for index in told)
    for row in (_HEADINGS, *rows):
        cells = [
            row[index].ljust(size) if index < _LEFT else row[index].rjust(size)
            for index, size in zip(told, widths, strict=True)
        ]
        if sum(widths) + 2 * len(widths) - 2 <= width:
            yield "  ".join(cells).rstrip()
        else:
            yield "  ".join(cells[:names]).rstrip()
            yield "  ".join(("", *cells[names:]))


def _cells(one: PoolShare) -> tuple[str, ...]:
    numbers = len(one.nodes), one.gpus, one.others, one.declared, one.pending, one.free, one.one_by_one, one.at_once
    return (visible(one.model), visible(one.pool) or "-", *map(str, numbers))


def _found(pods: int, pending: int) -> str:
    if not pending:
        return ("and finds a node" if pods == 1 else "and all find a node") if pods else "and nothing changes"
    if pending == pods:
        return "and finds no node" if pods == 1 else "and none finds a node"
    return f"and {pending} {verb('find', pending)} no node"


def _pods(number: int, gpus: int) -> str:
    """A number of pods, with the GPUs of each."""
    if not gpus:
        return counted(number, "pod")
    return f"{counted(number, 'pod')} with {counted(gpus, 'GPU')}{' each' if number > 1 else ''}"


def _some(texts: Sequence[str]) -> str:
    if len(texts) <= _NAMES:
        return listed(texts)
    return f"{', '.join(texts[:_NAMES])} and {len(texts) - _NAMES} more"
