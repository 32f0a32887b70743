"""What findings about several workloads share: the full nodes, or the exhausted quota."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from kubelint_gpu.analysis.certainty import is_certain
from kubelint_gpu.analysis.devices.asked_devices import asked_devices
from kubelint_gpu.analysis.growing_pools import at_most
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.analysis.room.overcommitment import allocatable_only, free_at_most, nodes_at_most, overcommitments
from kubelint_gpu.engine.api import ASKED, LACKED, WHO, ApplySet, Shared, WorkloadCheck
from kubelint_gpu.evidence.exclusive_lines import exclusive_claims
from kubelint_gpu.evidence.node_lines import lasting_holders
from kubelint_gpu.groups import grouped, in_order
from kubelint_gpu.kube.objects.quota import QuotaRefusal
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.values.quantity import canonical
from kubelint_gpu.messages.wait import every
from kubelint_gpu.messages.why_fewer import why_fewer
from kubelint_gpu.messages.wording import bare, listed, named_ports, owner_names, some, verb
from kubelint_gpu.simulation.search.trace import Blocker, Waiting
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.workspace.answers import once


def of_shortage(
    unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, resource: str, nature: str
) -> Shared | None:
    """The shared cause for replicas that cannot all run: a quota, a resource, or something else by its `nature`."""
    from kubelint_gpu.analysis.room import crowded_nodes

    room = judgement.room
    if room.refusal is not None:
        return of_quota(subject, room.refusal, room.wanted)
    certain, priority = is_certain(unit, subject, judgement), subject.workload.spec.priority or 0
    nodes = room.without_place
    if nodes:
        has = crowded_nodes.places(unit).get(nodes) if certain else None
        told = ("not all pods of ", WHO, f" can run on {some(nodes)}: {nature}")
        cause, who = f"places of {' '.join(nodes)}", subject.workload.key
        return Shared(cause, told, room.wanted, has, priority=priority, who=who)
    together = shared_overcommitment(unit, subject)
    if together is not None:
        return together
    each = pod_requests(subject.workload.spec).get(resource, 0)
    if not each and subject.workload.spec.resource_claims:
        devices = asked_devices(unit, subject, room.eligible)
        resource, each, total = devices or ("", 0, 0)
    else:
        total = _allocatable(unit, resource, room.eligible)
    return _asking(unit, subject, resource, room.eligible, room.wanted * each, total, certain=certain)


def shared_overcommitment(unit: ApplySet, subject: WorkloadCheck) -> Shared | None:
    """The shared cause that a part of the cluster is too small for it and others; None if there is none."""
    found = overcommitments(unit).get(subject.key)
    if found is None:
        return None
    return _asking(
        unit, subject, found.label, frozenset(found.nodes), found.amounts[subject.key], found.total, certain=True
    )


def of_daemon_pods(
    unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, resource: str, full: AbstractSet[str]
) -> Shared | None:
    """The shared cause that a DaemonSet lacks pods on some `full` nodes."""
    from kubelint_gpu.analysis.room import crowded_nodes

    certain, each = is_certain(unit, subject, judgement), pod_requests(subject.workload.spec).get(resource, 0)
    if each:
        return _asking(
            unit, subject, resource, full, len(full) * each, _allocatable(unit, resource, full), certain=certain
        )
    nodes, priority = in_order(full), subject.workload.spec.priority or 0
    has = crowded_nodes.places_of_daemons(unit).get(tuple(nodes)) if certain else None
    ports = crowded_nodes.ports_of_daemons(unit, full)
    told: tuple[str | int, ...] = ("not all pods of ", WHO, f" can run on {some(nodes)}: no node takes them together")
    if ports:
        told = (WHO, f" compete for {named_ports(ports)} on {some(nodes)}: not all of their pods can run")
    return Shared(f"places of {' '.join(nodes)}", told, len(nodes), has, priority=priority, who=subject.workload.key)


def exclusive_causes(unit: ApplySet, subject: WorkloadCheck, waiting: Waiting | None) -> tuple[str, ...]:
    """Return keys of the host ports and claims that a pod waits for; empty if it waits for anything else, too.

    What only its own pods hold is a cause by itself.
    """
    lacks = every(waiting.lacks) if waiting is not None and waiting.refusal is None else ()
    owners = {owner for one in lacks for owner in one.owners}
    if owners <= {subject.workload.key} or not all(one.held in ("port", "volume") for one in lacks):
        return ()
    claims, space = exclusive_claims(unit, subject), subject.workload.meta.namespace
    things = (
        f"{one.held} {name} {space}" for one in lacks for name in (claims if one.held == "volume" else one.things)
    )
    return tuple(dict.fromkeys(things))


def _allocatable(unit: ApplySet, resource: str, names: AbstractSet[str]) -> int:
    """Return how much of a resource nodes have beside the pods that stay; 0 if not only nodes provide it."""
    return sum(free_at_most(unit, name, resource) for name in names) if allocatable_only(unit, resource) else 0


def _asking(
    unit: ApplySet,
    subject: WorkloadCheck,
    resource: str,
    nodes: AbstractSet[str],
    wanted: int,
    total: int,
    *,
    certain: bool,
) -> Shared | None:
    if not wanted or not total:
        return None
    names = in_order(nodes)
    declared = [name for name in names if unit.empty.node(name) is not None]
    where = some(declared) if declared else "new nodes"
    where += f" with {at_most(unit, subject)}" if len(declared) < len(names) else ""
    nodes_there = nodes_at_most(unit)
    whole = sum(nodes_there[name].allocatable.get(resource, 0) for name in names if name in nodes_there)
    have = f"which {'has' if len(names) == 1 else 'have'} {bare(resource, total)}"
    if total < whole:
        applied, every = {one.key for one in unit.subjects}, lasting_holders(unit, subject, resource, names)
        holders = [one for one in every if one not in applied]
        rest = f"{verb('hold', len(holders))} {'the rest' if len(holders) == len(every) else 'a part of the rest'}"
        beside = f", and {owner_names(holders)} {rest}" if holders else ""
        have = f"where {bare(resource, total)} of {bare(resource, whole)} is free{beside}"
    nature = "this is missing capacity, not a rollout deadlock"
    told = (WHO, " cannot all run: they ask for ", ASKED, f" {resource} of {where}, {have}; {nature}")
    return Shared(
        f"{resource} of {' '.join(names)}",
        told,
        wanted,
        total,
        priority=subject.workload.spec.priority or 0,
        unsure=not certain,
        resource=resource,
        who=subject.workload.key,
        help=("add nodes with ", LACKED, f" more {resource} for them, or run fewer of their pods"),
    )


def of_standstill(unit: ApplySet, waiting: Waiting, begins: str, ends: str) -> Shared | None:
    """The shared cause of stuck rollouts: new pods wait for each other or the same nodes, or are refused."""
    begin = (f"{begins}the rollouts of ", WHO, f" {ends}: their new pods ")
    refusal = waiting.refusal
    if refusal is not None:
        return Shared(
            f"quota {refusal.quota} of {waiting.owner.split('/')[1]} {begins}{ends}",
            (*begin, f"are refused by quota {refusal.quota}, which counts the old ones until they are gone"),
        )
    circle = _circles(unit).get(waiting.owner, ())
    lacks = circle or every(waiting.lacks)
    names = sorted({lack.node for lack in lacks})
    if not names:
        return None
    kinds = {lack.resource or (lack.held and f"a {'host ' * (lack.held == 'port')}{lack.held}") for lack in lacks}
    what = listed(sorted(kinds - {""}))
    held = "held by their old pods" if circle else "where nothing is left"
    kept = f"{held}, and the old pods are kept until the new ones are available"
    told = (*begin, f"wait for {what or 'room'} on {some(names)}, {kept}")
    return Shared(f"{what} of {' '.join(names)} {begins}{ends}", told)


@once
def _circles(unit: ApplySet) -> Mapping[str, Sequence[Blocker]]:
    """Return what all mutually stuck rollouts lack, by workload."""
    lacks = grouped(
        (waiting.owner, lack)
        for found in judgements_in(unit).values()
        for waiting in (found.runs.trace.waiting if found.runs.trace and found.verdict is Verdict.STUCK else ())
        for lack in every(waiting.lacks if waiting.owner == found.workload.key else ())
    )
    circles: list[set[str]] = []
    for owner, mine in lacks.items():
        near = lacks.keys() & {owner}.union(*(lack.owners for lack in mine))
        circles = [*(one for one in circles if not one & near), near.union(*(one for one in circles if one & near))]
    several = [sorted(one) for one in circles if len(one) > 1]
    return {owner: [lack for other in one for lack in lacks[other]] for one in several for owner in one}


def of_quota(subject: WorkloadCheck, refusal: QuotaRefusal, wanted: int) -> Shared:
    """The shared cause that a quota refuses some of the pods, with the amount that they ask for if it is one key."""
    quota, who = f"quota {refusal.quota}", subject.workload.key
    cause = f"{quota} of {subject.workload.meta.namespace}"
    if len(refusal.exceeded) != 1:
        return Shared(cause, ("not all pods of ", WHO, f" can run: {quota} refuses them"), who=who)
    (one,) = refusal.exceeded
    resource = one.key.removeprefix("requests.").removeprefix("limits.")
    unit = 1 if resource == "cpu" else 1000
    # what is over a limit was there before the limit, and stays
    has = one.limit // unit if one.used <= one.limit else None
    allows = f" {one.key} under {quota}, which allows {canonical(one.limit)}"
    helps = ("let the quota allow ", LACKED, f" {one.key} more, or run fewer of their pods")
    told = (WHO, " cannot all run: they ask for ", ASKED, f"{allows}; {why_fewer((), refusal)}")
    return Shared(
        f"{one.key} of {cause}", told, wanted * one.requested // unit, has, resource=resource, who=who, help=helps
    )
