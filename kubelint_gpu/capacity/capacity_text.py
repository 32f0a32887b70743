"""Capacity and departures for a reader."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from kubelint_gpu.budget import NORMAL
from kubelint_gpu.capacity.departures import CapacityAnswer, Departure, Move, at_rest, with_losses
from kubelint_gpu.capacity.full_cluster import with_all_pods
from kubelint_gpu.capacity.supply import PoolShare, Surge, quota_demands
from kubelint_gpu.findings.picture import PoolPicture
from kubelint_gpu.groups import grouped, summed
from kubelint_gpu.inventory.view.node_rows import abbreviated
from kubelint_gpu.messages.display import visible
from kubelint_gpu.messages.wording import budget_names, counted, listed, verb
from kubelint_gpu.simulation.questions.drain import Drained
from kubelint_gpu.values import replace
from kubelint_gpu.work import UsedUp, limited
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext

_HEADINGS = ("GPU", "POOL", "NODES", "GPUS", "OTHERS", "DECLARED", "PENDING", "FREE", "ONE BY ONE", "AT ONCE")
_OPTIONAL = frozenset({_HEADINGS.index(name) for name in ("POOL", "OTHERS", "PENDING")})
_LEFT = 2
_NARROWEST = 72
_NAMES = 4


def capacity_text(found: CapacityAnswer, width: int) -> Iterator[str]:
    """Yield the lines of `kubelint-gpu capacity` for one cluster, at most `width` characters wide."""
    width = max(width, _NARROWEST)
    if found.cluster.world.name:
        yield f"Cluster {visible(found.cluster.world.name)}"
    if found.shares:
        yield from _table(found.shares, width)
        yield ""
        waits = "PENDING: those that declared pods ask for and do not find. "
        pending = any(one.pending for one in found.shares)
        yield from textwrap.wrap(
            f"DECLARED: the GPUs that declared pods hold at rest. {waits if pending else ''}ONE BY ONE and AT ONCE: "
            "the spare GPUs that rollouts take if they come one after the other, or all at once. A workload that may "
            "have a pod fewer for a time takes none.",
            width,
        )
    else:
        yield "No node of the inventory has GPUs, so there is no table. Devices of claims are not counted."
    sections = sections_of(found)
    for title, lines in sections:
        yield ""
        yield f"{title}:"
        for line in lines:
            yield from _wrapped(line, width)
    if not sections:
        yield ""
        yield "Every pod finds a node, every rollout finds room, and any one node can be lost."


def sections_of(found: CapacityAnswer) -> list[tuple[str, tuple[str, ...]]]:
    """Return what a person must know beside the table: titles, each with its sentences."""
    cluster, drains, surges = found.cluster, found.drains, found.surges
    sections = {
        "Pods that find no node at rest": [
            f"{one.name}: {one.pending} of {_pods(one.total, one.gpus)}" for one in cluster.groups if one.pending
        ],
        "Quotas that refuse some of these pods, which count here all the same": [
            one.sentence for one in quota_demands(cluster)
        ],
        "Pools with too few spare GPUs to roll everything, even one after the other": [
            f"{one.name}: {one.free} free, and a rollout takes {one.one_by_one}"
            for one in found.shares
            if one.free < one.one_by_one
        ],
        "Rollouts that find no room for a new pod beside the old ones": [*_new(one for one in surges if not one.node)],
        "Rollouts that find room only by preempting other pods": [*_new(one for one in surges if one.preempts)],
        "Rollouts that find room alone, and not at the same moment as the others": [
            *_new(one for one in surges if one.node and not one.preempts and not one.at_once)
        ],
        "What cannot be lost": [*_losses(found.gone)],
        "Drains that a PodDisruptionBudget blocks": [
            f"{_lost(one)}: {move.group.name}: {_blocked(move.drained)}"
            for one in found.gone
            for move in one.moves
            if move.drained.blocked and not one.is_zone
        ],
        "Drained one node after the other, and without a PodDisruptionBudget": [
            f"{one.group.name}: {_missing(one.pods, one.group.total)} ({one.node})" for one in drains or ()
        ],
        "Not counted, for admission refuses their pods": cluster.refused,
        "Not looked at, as there are too many pods": ["drains of one node after the other"] * (drains is None),
    }
    return [(title, tuple(lines)) for title, lines in sections.items() if lines]


def demanded(
    world: ClusterContext, units: Sequence[ApplySet]
) -> tuple[tuple[PoolPicture, ...], tuple[tuple[str, tuple[str, ...]], ...]]:
    """Return the shares and the sections for the report page; none without workloads, or if it is too much work."""
    if not world.usable or not any(unit.subjects for unit in units):
        return (), ()
    try:
        with limited(NORMAL.run, NORMAL.run):
            found = at_rest(with_all_pods(world, units))
    except UsedUp:
        return (), ()
    with suppress(UsedUp), limited(NORMAL.run, NORMAL.run):
        found = with_losses(found)
    pools = tuple(
        PoolPicture(one.name, one.gpus, one.others, one.declared, one.pending, one.free, one.one_by_one, one.at_once)
        for one in found.shares
    )
    in_turn = [_drained(one) for one in found.gone if one.moves and not one.is_zone]
    each = [("If a node is drained", tuple(in_turn))] if in_turn else []
    return pools, (*sections_of(found), *each)


def departure_text(one: Departure, width: int) -> Iterator[str]:
    """The lines of `kubelint-gpu drain`."""
    width = max(width, _NARROWEST)
    driven = sum(len(move.preempted) for move in one.moves)
    pods = sum(move.drained.pods for move in one.moves)
    evicted = f", {counted(driven, 'pod')} elsewhere {'is' if driven == 1 else 'are'} preempted" if driven else ""
    yield f"{one.what}: {counted(pods - driven, 'pod')} must move{evicted}, {_found(pods, one.pending)}."
    for move in one.moves:
        yield from _wrapped(f"{move.group.name}: {_pods(move.drained.pods, move.group.gpus)}", width)
        for text in _move(move):
            yield from _wrapped(text, width, "    ")
    if one.lost[0]:
        gpus = f" ({counted(one.lost[1], 'GPU')})" if one.lost[1] else ""
        yield from _wrapped(f"{counted(one.lost[0], 'pod')} without a controller{gpus}: gone for good", width)


def _places(move: Move) -> Iterator[str]:
    if move.preempted:
        driven = len(move.preempted)
        yield f"{counted(driven, 'pod')} {'is' if driven == 1 else 'are'} preempted by pods of higher priority"
    if move.to:
        places = Counter(move.to)
        yield "goes to " + ", ".join(
            f"{name} ({number})" if len(move.to) > 1 else name for name, number in places.items()
        )
    stranded = move.drained.stranded
    if stranded:
        yield f"{counted(stranded, 'pod')} Pending: no other node takes {'it' if stranded == 1 else 'them'}"


def _drained(one: Departure) -> str:
    return f"{_lost(one)}: " + "; ".join(f"{move.group.name}: {', '.join(_places(move))}" for move in one.moves)


def _move(move: Move) -> Iterator[str]:
    yield from _places(move)
    if move.drained.blocked:
        yield f"blocked: {_blocked(move.drained)}"
    elif move.drained.budgets:
        yield f"{budget_names(move.drained.budgets)} lets {move.drained.allowed} be missing at a time"
    else:
        yield f"no PodDisruptionBudget: {_missing(move.drained.pods, move.group.total)}"


def _blocked(drained: Drained) -> str:
    """Why a drain does not end."""
    names, allowed = budget_names(drained.budgets), drained.allowed
    if drained.refused:
        return f"{names} cover it, and the eviction API accepts only one"
    return f"{names} lets {counted(allowed, 'pod') if allowed else 'no pod'} be missing"


def _new(surges: Iterable[Surge]) -> Iterator[str]:
    return (f"{one.group.name}: {_pods(1, one.group.gpus)}" for one in surges)


def _missing(pods: int, total: int) -> str:
    if total == 1:
        return "its only pod is missing until the new one is ready"
    return f"{pods} of its {total} pods {'is' if pods == 1 else 'are'} missing at once"


def _lost(one: Departure) -> str:
    """Return the lost part in words: a node, one of several equal nodes, a zone."""
    return one.what if len(one.nodes) == 1 or one.is_zone else f"any one of {_some(list(abbreviated(one.nodes)))}"


def _losses(gone: Iterable[Departure]) -> Iterator[str]:
    """Yield what stays Pending without each zone and each node; nodes of which it is the same are one sentence."""
    alike = grouped(((_pending(one), one.is_zone and one.what), one) for one in gone if one.pending)
    for (told, _), each in alike.items():
        nodes = tuple(name for one in each for name in one.nodes)
        yield f"{_lost(replace(each[0], nodes=nodes))}: {told}"


def _pending(one: Departure) -> str:
    waiting = summed((move.group.name, move.drained.stranded) for move in one.moves)
    told = [f"{counted(number, 'pod')} of {name}" for name, number in waiting.items() if number]
    return f"{_some(told)} {verb('stay', one.pending)} Pending"


def _wrapped(text: str, width: int, indent: str = "  ") -> list[str]:
    return textwrap.wrap(
        visible(text), width, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False
    )


def _table(shares: Sequence[PoolShare], width: int) -> Iterator[str]:
    """A table; if a row is wider than that, the figures of each pool below its name. Empty columns are left out."""
    rows = [_cells(one) for one in shares]
    told = [
        index
        for index in range(len(_HEADINGS))
        if index not in _OPTIONAL or any(row[index] not in "-0" for row in rows)
    ]
    widths = [max(len(row[index]) for row in (_HEADINGS, *rows)) for index in told]
    if sum(widths) + 2 * len(widths) - 2 > width:
        names = sum(index < _LEFT for index in told)
        for pool, row in zip(shares, rows, strict=True):
            yield visible(pool.name)
            for part in (told[names:-2], told[-2:]):
                yield from _wrapped(", ".join(f"{_HEADINGS[index]} {row[index]}" for index in part), width)
        return
    for row in (_HEADINGS, *rows):
        cells = [
            row[index].ljust(size) if index < _LEFT else row[index].rjust(size)
            for index, size in zip(told, widths, strict=True)
        ]
        yield "  ".join(cells).rstrip()


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
