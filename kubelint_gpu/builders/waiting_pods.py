"""Pods that the scheduler finds no room for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kubelint_gpu.analysis.diagnosis import Diagnosis
from kubelint_gpu.analysis.replica_room import lacking
from kubelint_gpu.engine.api import ApplySet, Severity, WorkloadCheck
from kubelint_gpu.evidence.node_lines import holding
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.messages.wait import OWN, every
from kubelint_gpu.messages.why_fewer import refused
from kubelint_gpu.messages.wording import (
    amount,
    bare,
    foremost,
    listed,
    named_ports,
    owner_name,
    said,
    some,
    verb,
    workload_name,
)
from kubelint_gpu.scheduler import Attempt
from kubelint_gpu.scheduler.framework.facts import Held
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.storage_index import direct_claims
from kubelint_gpu.scheduler.plugins import node_ports, volume_restrictions
from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.prepare.workload_change import own_pods, owner_of, pods_of_others
from kubelint_gpu.simulation.search.blocked import ATTACH
from kubelint_gpu.simulation.search.trace import Blocker, Waiting
from kubelint_gpu.simulation.search.verdict import Judgement

NO_NODE = "the next one finds no node"
_VOLUME = Held.VOLUME.value


def scheduler_message(unit: ApplySet, subject: WorkloadCheck) -> str | None:
    """The scheduler's message for a pod beside the running ones, or else for one alone in the cluster.

    None for a DaemonSet: its controller creates no pod for a node that it does not choose.
    """
    if subject.controller.node_bound:
        return None
    return unit.beside_running(subject).message or unit.alone(subject).message


def severity_without_pods(subject: WorkloadCheck, found: Diagnosis) -> Severity | None:
    """A warning if no pod is created at all: the rollout of a DaemonSet without nodes is complete at once.

    Not if there are nodes that it is meant for.
    """
    return "warning" if subject.controller.node_bound and not found.missed else None


def no_pods(subject: WorkloadCheck) -> str:
    """The symptoms of a workload whose controller chooses no node, as the end of a message."""
    bound = subject.controller.node_bound
    return "; its controller makes no pod at all (DESIRED is 0), and no event says why" if bound else ""


def waiting_for_room(unit: ApplySet) -> Iterator[tuple[WorkloadCheck, Attempt]]:
    """Yield the workloads with a PriorityClass whose pod fits in the empty cluster but not beside running pods."""
    if not unit.has_nodes or not unit.cluster.pods:
        return
    for subject in unit.subjects:
        spec = subject.workload.spec
        if not subject.places_pods or not subject.admitted or not subject.workload.replicas:
            continue
        if not spec.priority_class_name or (spec.priority or 0) <= 0 or not unit.fits_somewhere(subject):
            continue
        if own_pods(subject.workload, unit.cluster.pods):
            # it runs already: what its next pods do is a matter of the rollout
            continue
        found = unit.beside_running(subject)
        if found.fit is not None and not found.fit.schedulable and found.fit.prefilter is None:
            yield subject, found


def shortage(
    unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, placed: int
) -> tuple[str | None, str, tuple[Blocker, ...]]:
    """Return why no more replicas find a node: the scheduler's message, a clause, and the nodes' shortages."""
    if judgement.room.refusal:
        several = subject.controller.replaces_lost and judgement.room.wanted > 1
        one = "it" if not several else "the next one" if placed else "each"
        return None, f"{one} is refused {refused(judgement.room.refusal)}", ()
    waiting = judgement.room.waiting
    if waiting is not None:
        missing = every(waiting.lacks)
        others = any(lack.held == Held.DEVICE.value and lack.owners - {subject.workload.key} for lack in missing)
        # what is told of a pod without its claims would be another thing, and others are told by name
        if others or subject.workload.claims or any(lack.held == _VOLUME for lack in missing):
            return waiting.scheduler or None, NO_NODE, ()
    return shortage_of_next(unit, subject, placed, judgement.room.eligible)


def shortage_of_next(
    unit: ApplySet, subject: WorkloadCheck, placed: int, nodes: Collection[str]
) -> tuple[str | None, str, tuple[Blocker, ...]]:
    """Why a pod finds no node if only `placed` pods of its workload are there, in the form of `shortage`."""
    text, lacks, after = lacking(unit, subject, placed, nodes)
    if not lacks:
        return text, NO_NODE, ()
    told = [
        _taken(unit, subject, names)
        if reason == node_ports.REASON
        else said(reason, some(names))
        if resource in ("", "pods")
        else _shortage(unit, subject, resource, [info for info in map(after.node, names) if info is not None], placed)
        for (reason, resource), names in lacks.items()
    ]
    found = tuple(Blocker(some(nodes), "", reason, resource=resource) for (reason, resource), nodes in lacks.items())
    return text, ", and ".join(told), found


def _taken(unit: ApplySet, subject: WorkloadCheck, names: Sequence[str]) -> str:
    """Return `host port 443 is taken on g1, by DaemonSet ing/traefik`, with running pods of other workloads there."""
    ports = node_ports.port_numbers(subject.workload.spec)
    pods = (pod for pod in pods_of_others([subject.workload], unit.cluster.pods) if pod.spec.node_name in names)
    found = {owner_of(pod) or f"Pod/{pod.key}" for pod in pods if node_ports.taken(subject.workload.spec, pod.spec)}
    told = f"{'one of ' if len(ports) > 1 else ''}{named_ports(ports)} is taken on {some(names)}"
    return f"{told}, by {foremost(sorted(map(owner_name, found)))}" if found else told


def _shortage(unit: ApplySet, subject: WorkloadCheck, resource: str, nodes: Sequence[NodeInfo], placed: int) -> str:
    """Return a clause about what nodes lack for one more pod beside those `placed`: what is free, and who holds it."""
    names, whole = [one.name for one in nodes], sum(one.node.allocatable.get(resource, 0) for one in nodes)
    free = [one.node.allocatable.get(resource, 0) - one.used.get(resource, 0) for one in nodes]
    held = holding(unit, subject, resource, names, lasting=True)
    amounts = {owner_name(owner): sum(number for _, number in each) for owner, each in held.items()}
    own = whole - sum(free) - sum(amounts.values()) if placed else 0
    others = sorted(amounts.items(), key=lambda one: (-one[1], one[0]))
    holders = [f"{name} ({amount(resource, number)})" for name, number in ((OWN, own), *others) if number > 0]
    rest = "the rest" if max(free) > 0 else "all"
    by = f"; {foremost(holders)} {verb('hold', len(holders) + (own > 0))} {rest}" if holders else ""
    if max(free) <= 0:
        return f"0 of {amount(resource, whole)} is free on {some(names)}{by}"
    needs = amount(resource, pod_requests(subject.workload.spec).get(resource, 0))
    most = f"{'at most ' * (len(free) > 1)}{bare(resource, max(free))}"
    who = "each" if subject.controller.replaces_lost else "it"
    return f"{most} of the {needs} that {who} needs is free on {some(names)}{by}"


def declare(unknown: Sequence[str]) -> tuple[str, ...]:
    """Return help for claims that the inventory does not have: their volumes decide which nodes can use them."""
    if not unknown:
        return ()
    claims = f"claim{'s' * (len(unknown) > 1)} {listed(unknown)}"
    return (f"to be sure, declare {claims} in the inventory with its volume, which decides where pods can use it",)


def of_one_node(subject: WorkloadCheck, waiting: Waiting) -> tuple[str, ...]:
    """What helps if pods wait for a claim that one pod, or the pods of one node, can use.

    Nothing for one replica that waits for its own old pod: another strategy helps there.
    """
    lacks = [lack for lack in every(waiting.lacks) if lack.plugin in (ATTACH, volume_restrictions.NAME)]
    several = subject.workload.replicas > 1 and not subject.controller.runs_to_completion
    if not lacks or not (several or any(lack.owners - {subject.workload.key} for lack in lacks)):
        return ()
    fewer = "" if subject.controller.recreates else " with strategy Recreate"
    ways = ["use ReadWriteMany storage"]
    ways += [f"run 1 replica{fewer if subject.controller.leaves_first else ''}"] * several
    if all(lack.plugin == volume_restrictions.NAME for lack in lacks):
        return (f"{listed(ways, 'or')}: one pod at a time uses a ReadWriteOncePod volume",)
    ways.append("keep all pods that use the claim on one node by podAffinity")
    return (f"{', '.join(ways[:-1])}, or {ways[-1]}: one node at a time attaches a ReadWriteOnce volume",)


def outranked_by(unit: ApplySet, subject: WorkloadCheck, waiting: Waiting) -> Iterator[str]:
    """Yield that a holder of what a pod waits for has a higher priority."""
    owners = {owner for lack in waiting.lacks for owner in lack.owners}
    holders = [one.workload for one in unit.subjects if one.workload.key in owners]
    names = [workload_name(one) for one in holders if preconditions.gives_way(subject.workload.spec, one.spec)]
    return (f"{name} has a higher priority, and evicts its pods where they are in the way" for name in names[:2])


def unsure_claims(unit: ApplySet, workload: Workload, waiting: Waiting) -> tuple[str, ...]:
    """The claims that only the manifest names, if a pod waits for a volume to become free."""
    # a claim that one pod can use is in use wherever its volume is
    if all(lack.held != _VOLUME or lack.plugin == volume_restrictions.NAME for lack in every(waiting.lacks)):
        return ()
    named = sorted({*direct_claims(workload.spec)})
    return tuple(name for name in named if unit.world.declared("PersistentVolumeClaim", name) is None)
