"""Custom resources like Jobs that never have all the pods without which they do nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.gang_members import Team, how_long
from kubelint_gpu.analysis.growing_pools import growing
from kubelint_gpu.builders.starving_jobs import MOST_OTHERS, asking_too, staying_beside, while_running
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.evidence.exclusive_lines import scarce
from kubelint_gpu.evidence.node_lines import clues, requested
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.messages.wording import verb
from kubelint_gpu.simulation.growth import possible_nodes
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import created_pod, is_temporary, own_pods
from kubelint_gpu.simulation.questions.beyond_inventory import further_nodes
from kubelint_gpu.simulation.questions.packing import gathered, gathered_beside
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

ADMITTED_WHOLE = "let Kueue admit it whole, or a scheduler with pod groups place it whole: then it holds nothing"


def never_whole(unit: ApplySet, team: Team) -> Iterator[Diagnostic]:
    """Some of its pods run, and never all at once."""
    beside: list[WorkloadCheck] = []
    cluster = _around(unit, team, beside)
    placed = least = _room(team, cluster)
    if placed is None:
        beside = _unmoved(unit, team)
        cluster = _around(unit, team, beside)
        found = gathered_beside(team.workloads, [one.workload for one in beside], cluster) if beside else None
        if found is None or found[0] == team.pods:
            return
        least, placed = found
    closed = all(unit.is_closed_to(one) for one in team.subjects)
    certain = closed or (not beside and _stays_short(team, cluster, placed))
    if not least or (not certain and any(unit.may_outgrow(one) for one in team.subjects)):
        return
    number = f"no more than {placed}" if placed < team.pods else f"as few as {least}"
    while_runs = f"{while_running(beside)}, " if beside else ""
    waits = "waits" if placed < team.pods else "may wait"
    first = team.largest
    fit = unit.alone(first).fit
    yield Diagnostic(
        "KLG113",
        team.place,
        f"{while_runs}{team.name} needs {team.pods} pods at once and {number} "
        f"{verb('find', placed if placed < team.pods else least)} room: what runs {waits} for the rest "
        f"{how_long([team])}",
        first.manifest,
        cause=f"never whole {team.key}",
        certainty="certain" if certain else "possible",
        related=(
            *asked(unit, team),
            *asking_too(beside, scarce(first)),
            *clues(unit, first, scarce(first), fit.fits if fit is not None else ()),
            *growing(unit, first),
        ),
        help=(ADMITTED_WHOLE,),
    )


def _unmoved(unit: ApplySet, team: Team) -> list[WorkloadCheck]:
    """The workloads that run for good on nodes for its pods, which evict none of them; none where they are many."""
    most = max(one.spec.priority or 0 for one in team.workloads)
    found = [one for one in staying_beside(unit, team.subjects) if (one.workload.spec.priority or 0) >= most]
    return found if len(found) <= MOST_OTHERS else []


def asked(unit: ApplySet, team: Team) -> Iterator[Related]:
    """Why its pods are needed at once, and what those of its other templates ask for."""
    yield from team.signs
    for subject in team.subjects:
        if subject is not team.largest and is_extended(scarce(subject)):
            yield from requested(unit, subject, scarce(subject))


def _room(team: Team, cluster: Cluster) -> int | None:
    """How many of its pods find room at best; None where all may."""
    found = gathered([(one, one.replicas) for one in team.workloads], cluster)
    return sum(found) if found is not None and sum(found) < team.pods else None


def _stays_short(team: Team, cluster: Cluster, placed: int) -> bool:
    """Whether no node beyond the inventory makes room for more."""
    found = further_nodes([created_pod(one, "new") for one in team.workloads], cluster, team.pods)
    if any(taken is None for taken in found.takes) or all(found.takes):
        return False
    return _room(team, replace(cluster, nodes=(*cluster.nodes, *found.nodes))) == placed


def _around(unit: ApplySet, team: Team, beside: Sequence[WorkloadCheck]) -> Cluster:
    """The cluster with all that may be of use, and the running pods that are in the way for good.

    Pods of the same namespace may be its own unless they are those of workloads `beside` it, and those of lower
    priority may be evicted.
    """
    known = {pod.identifier for one in beside for pod in own_pods(one.workload, unit.cluster.pods)}
    least = min(one.spec.priority or 0 for one in team.workloads)
    namespace = team.workloads[0].meta.namespace
    stay = tuple(
        pod
        for pod in unit.cluster.pods
        if (pod.meta.namespace != namespace or pod.identifier in known)
        and (pod.spec.priority or 0) >= least
        and not is_temporary(pod)
    )
    joined = possible_nodes(unit.growth, team.pods)
    nodes = (*unit.cluster.nodes, *(joined.nodes if joined is not None else ()))
    users = [(one.meta.namespace, one.spec) for one in (*team.workloads, *(one.workload for one in beside))]
    return with_bound_claims(replace(unit.cluster, nodes=nodes, pods=stay), users)
