"""Related places of waiting pods: the request, what makes it exclusive, the nodes, and the holders there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from kubelint_gpu.evidence import exclusive_lines
from kubelint_gpu.evidence.declared_lines import tie_lines
from kubelint_gpu.evidence.exclusive_lines import device_lines, exclusive_claims
from kubelint_gpu.evidence.node_lines import clues, holding, place_of, port_lines, refusing_quota, requested
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.groups import grouped, in_order
from kubelint_gpu.messages.wait import Wait, every
from kubelint_gpu.messages.wording import amount, owner_names, some, verb
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_MOST_HOLDERS = 4


def wait_of(
    unit: ApplySet,
    subject: WorkloadCheck,
    waiting: Waiting,
    *,
    named: bool = False,
    standing: bool = False,
    only: bool = False,
) -> Wait:
    """A pod that waits for ever, with the claims that not every pod of the workload can use at once."""
    return Wait(subject.workload, waiting, exclusive_claims(unit, subject), named, standing, only)


def why_exclusive(unit: ApplySet, subject: WorkloadCheck, waiting: Waiting) -> tuple[Related, ...]:
    """Return the limits of the quota that refuses a pod, or the lines that make the awaited resource exclusive."""
    if waiting.refusal:
        return tuple(refusing_quota(unit, subject, waiting.refusal))
    return exclusive_lines.exclusive_lines(unit, subject, waiting)


def stakes(unit: ApplySet, subject: WorkloadCheck, waiting: Waiting) -> tuple[Related, ...]:
    """Return the request, the reason why it is exclusive, the pod's ties, and the nodes."""
    found = why_exclusive(unit, subject, waiting)
    if waiting.refusal:
        return found
    resource = next((lack.resource for lack in waiting.lacks if lack.resource), "")
    nodes = [lack.node for lack in waiting.lacks]
    more = {one.resource for lack in waiting.lacks for one in lack.also if one.resource} - {resource}
    found += tuple(place for name in sorted(more) for place in requested(unit, subject, name))
    return (*found, *clues(unit, subject, resource, nodes), *islice(_holders(unit, subject, waiting), _MOST_HOLDERS))


def shortage_lines(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, resource: str) -> Iterator[Related]:
    """Yield why replicas wait: the limit of the quota that refuses them, or requests, nodes and holders."""
    if judgement.room.refusal is not None:
        yield from refusing_quota(unit, subject, judgement.room.refusal)
        return
    if not resource and subject.workload.spec.resource_claims:
        yield from device_lines(unit, subject, judgement.room.eligible)
    yield from clues(unit, subject, resource, in_order(judgement.room.eligible))
    yield from holders(unit, subject, resource, judgement.room.eligible)
    yield from port_lines(unit, subject, judgement.room.eligible) if not resource else ()
    yield from tie_lines(unit, subject)


def holders(unit: ApplySet, subject: WorkloadCheck, resource: str, nodes: Collection[str]) -> tuple[Related, ...]:
    """The running pods of others that hold a resource on some nodes."""
    return told_holders(unit, resource, holding(unit, subject, resource, nodes))


def told_holders(unit: ApplySet, resource: str, held: Mapping[str, Sequence[tuple[str, int]]]) -> tuple[Related, ...]:
    """The first few holders of a resource, each at its own line."""
    return tuple(
        islice(_held_elsewhere(unit, {(owner, resource): found for owner, found in held.items()}), _MOST_HOLDERS)
    )


def _holders(unit: ApplySet, subject: WorkloadCheck, waiting: Waiting) -> Iterator[Related]:
    """Yield other holders of a resource: pods of the inventory, and workloads applied together with this one."""
    held: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for lack in every(waiting.lacks):
        for holder in lack.holders if lack.resource else ():
            if holder.owner != subject.workload.key:
                held.setdefault((holder.owner, lack.resource), []).append((lack.node, holder.amount))
    yield from _held_elsewhere(unit, held)


def _held_elsewhere(unit: ApplySet, held: Mapping[tuple[str, str], Sequence[tuple[str, int]]]) -> Iterator[Related]:
    at = (
        ((place_of(unit, owner, resource, {node for node, _ in places}), resource), (owner, places))
        for (owner, resource), places in held.items()
    )
    for (place, resource), each in grouped(at).items():
        if place is not None:
            names = [owner for owner, _ in each]
            whole = amount(resource, sum(number for _, places in each for _, number in places))
            nodes = list(dict.fromkeys(node for _, places in each for node, _ in places))
            yield Related(place, f"{owner_names(names)} {verb('hold', len(names))} {whole} on {some(nodes)}")
