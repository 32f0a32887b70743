"""Capacity and departures for a reader."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from kubelint_gpu.capacity.departures import Departure, Interruption, Move
from kubelint_gpu.capacity.full_cluster import FullCluster
from kubelint_gpu.capacity.supply import PoolShare, Surge
from kubelint_gpu.inventory.view.node_names import abbreviated
from kubelint_gpu.messages.display import visible
from kubelint_gpu.messages.wording import budget_names, counted, listed, verb

_HEADINGS = ("GPU", "POOL", "NODES", "GPUS", "OTHERS", "DECLARED", "FREE", "ONE BY ONE", "AT ONCE")
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
    """The lines of `kubelint-gpu capacity` for one cluster, `width` characters wide or less."""
    width = max(width, _NARROWEST)
    if cluster.world.name:
        yield f"Cluster {visible(cluster.world.name)}"
    if shares:
        yield from _table(shares)
        yield ""
        yield from textwrap.wrap(
            "ONE BY ONE and AT ONCE: the spare GPUs that rollouts take if they come one after the other, or all at "
            "once. A workload that may have a pod fewer for a time takes none.",
            width,
        )
    else:
        yield "The inventory has no node with GPUs that pods ask for by resource. Devices of claims are not counted."
    waiting = [one for one in cluster.groups if one.pending]
    yield from _section(
        "Pods that find no node at rest",
        [f"{one.name}: {one.pending} of {_pods(one.pending + len(one.placed), one.gpus)}" for one in waiting],
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
        [
            f"{one.group.name}: {one.pods} of its {counted(len(one.group.placed), 'pod')} are missing at once "
            f"({one.node})"
            for one in drains or ()
        ],
        width,
    )
    yield from _section("Not counted, for admission refuses their pods", cluster.refused, width)
    if drains is None:
        yield ""
        yield from textwrap.wrap(
            "Drains of one node after the other were not looked at: too many nodes and pods.", width
        )
    if not (waiting or stuck or beside or gone or drains or cluster.refused):
        yield ""
        yield "Every pod finds a node, every rollout finds room, and any one node can be lost."


def departure_text(one: Departure, width: int) -> Iterator[str]:
    """The lines of `kubelint-gpu drain`."""
    width = max(width, _NARROWEST)
    pods = sum(move.drained.pods for move in one.moves)
    yield f"{one.what}: {counted(pods, 'declared pod')} must move, {_found(pods, one.pending)}."
    for move in one.moves:
        yield from _wrapped(f"{move.group.name}: {_pods(move.drained.pods, move.group.gpus)}", width)
        for text in _move(move):
            yield from _wrapped(text, width, "    ")
    if one.others[0]:
        yield from _wrapped(
            f"{counted(one.others[0], 'pod')} that no manifest declares "
            f"({counted(one.others[1], 'GPU')}): where they go is not looked at",
            width,
        )


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
        yield f"blocked: {names} cover it, and the eviction API knows one only"
    elif move.drained.blocked:
        yield f"blocked: {names} lets {counted(allowed, 'pod') if allowed else 'no pod'} be missing"
    elif move.drained.budgets:
        yield f"{names} lets {allowed} be missing at a time"
    else:
        share = f"{move.drained.pods} of its {counted(move.total, 'pod')}"
        yield f"no PodDisruptionBudget: {share} {'is' if move.drained.pods == 1 else 'are'} missing at once"


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


def _table(shares: Sequence[PoolShare]) -> Iterator[str]:
    rows = [_HEADINGS, *(_cells(one) for one in shares)]
    pooled = any(one.pool for one in shares)
    widths = [max(len(row[index]) for row in rows) for index in range(len(_HEADINGS))]
    for row in rows:
        cells = [
            cell.ljust(size) if index < _LEFT else cell.rjust(size)
            for index, (cell, size) in enumerate(zip(row, widths, strict=True))
            if pooled or index != 1
        ]
        yield "  ".join(cells).rstrip()


def _cells(one: PoolShare) -> tuple[str, ...]:
    numbers = len(one.nodes), one.gpus, one.others, one.declared, one.free, one.one_by_one, one.at_once
    return (visible(one.model), visible(one.pool) or "-", *map(str, numbers))


def _found(pods: int, pending: int) -> str:
    if not pending:
        return "and all find a node" if pods else "and nothing changes"
    return f"and {pending} {verb('find', pending)} no node"


def _pods(number: int, gpus: int) -> str:
    """So many pods, and the GPUs of each of them."""
    if not gpus:
        return counted(number, "pod")
    return f"{counted(number, 'pod')} with {counted(gpus, 'GPU')}{' each' if number > 1 else ''}"


def _some(texts: Sequence[str]) -> str:
    if len(texts) <= _NAMES:
        return listed(texts)
    return f"{', '.join(texts[:_NAMES])} and {len(texts) - _NAMES} more"
