"""Rollouts that never end in any cluster, by the manifests alone: a quota, an exclusive claim, or a host port.

They are judged on nodes that are as generous to the pods as any could be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubelint_gpu.analysis.predecessors import makes_none
from kubelint_gpu.analysis.scenarios import Scenario, on_nodes_of
from kubelint_gpu.kube.objects.label_algebra import alternatives
from kubelint_gpu.kube.objects.storage import READ_WRITE_ONCE, READ_WRITE_ONCE_POD
from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.scheduler.plugins import inter_pod_affinity, node_ports, volume_restrictions
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.questions.beyond_inventory import MOST_NODES, further_nodes
from kubelint_gpu.simulation.search.blocked import ATTACH
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey

_HOSTNAME = "kubernetes.io/hostname"
_WHATEVER = frozenset((volume_restrictions.NAME,))
_IF_COUNTED = frozenset((inter_pod_affinity.NAME, node_ports.NAME))
_OF_NODES = frozenset((ATTACH,))


@once
def stuck_anywhere(unit: ApplySet) -> Mapping[WorkloadKey, Judgement]:
    """The rollouts that never end on any nodes; empty with an inventory."""
    rolled = {one.key for one in _rolled(unit)}
    return {key: one for key, one in _held_up(unit).items() if one.verdict is Verdict.STUCK and key in rolled}


@once
def short_anywhere(unit: ApplySet) -> Mapping[WorkloadKey, Judgement]:
    """The workloads whose replicas cannot all run on any nodes; empty with an inventory."""
    made = {one.key for one in _kept(unit) if not makes_none(unit, one)}
    found = _held_up(unit).items()
    return {key: one for key, one in found if key in made and one.verdict is None and one.room.is_short}


@once
def _held_up(unit: ApplySet) -> Mapping[WorkloadKey, Judgement]:
    """The judgements, on generous nodes, of workloads whose pods wait for something that no node provides."""
    kept = {one.key: one for one in _kept(unit)}
    charged = {key for key, one in kept.items() for quota in unit.cluster.quotas if quota.covers(one.pod)}
    # further nodes bring neither what a quota allows nor what is exclusive
    wanted = [key for key, one in kept.items() if key in charged or any(_exclusive(unit, one))]
    if not wanted:
        return {}
    scenario = on_generous_nodes(unit)
    enough = sum(nodes_for(one) for one in scenario.transitions.values())
    certain = _WHATEVER | _IF_COUNTED if enough <= MOST_NODES else _WHATEVER
    plain = on_nodes_of(scenario, replace(unit.cluster, nodes=scenario.cluster.nodes, pods=()))
    return {key: one for key, one in plain.judgements(wanted).items() if _is_over(one, certain)}


@once
def may_stick_on_another_node(unit: ApplySet) -> Mapping[WorkloadKey, Judgement]:
    """The rollouts that may wait for a volume if the new pod is bound to another node; empty with an inventory."""
    wanted = [one.key for one in _rolled(unit) if _claims(unit, one, READ_WRITE_ONCE)]
    if not wanted:
        return {}
    found = on_generous_nodes(unit).judgements(wanted)
    return {key: one for key, one in found.items() if one.waits and _is_over(one, _OF_NODES)}


@once
def stuck_without_spare_node(unit: ApplySet) -> Mapping[WorkloadKey, Judgement]:
    """The rollouts that wait for a host port if each node has an old pod; empty with an inventory."""
    found: dict[WorkloadKey, Judgement] = {}
    for one in _rolled(unit):
        if _has_host_ports(one) and one.key not in stuck_anywhere(unit):
            alone = without_spare_node(on_generous_nodes(unit), one.key)
            judgement = alone.judgements()[one.key]
            if judgement.waits and _is_over(judgement, _IF_COUNTED):
                found[one.key] = judgement
    return found


def _kept(unit: ApplySet) -> Iterator[WorkloadCheck]:
    """Yield, if there is no inventory, the workloads for which a scheduler places a fixed number of pods."""
    for subject in unit.subjects if unit.world.inventory is None else ():
        controller, workload = subject.controller, subject.workload
        counted = workload.replicas and not (controller.runs_to_completion or controller.node_bound)
        if counted and subject.places_pods and not workload.custom:
            yield subject


def _rolled(unit: ApplySet) -> Iterator[WorkloadCheck]:
    """Yield the workloads whose pods a rollout replaces."""
    for subject in _kept(unit):
        if subject.controller.has_replica_sets and not subject.controller.paused:
            yield subject


def _exclusive(unit: ApplySet, subject: WorkloadCheck) -> Iterator[bool]:
    yield _claims(unit, subject, READ_WRITE_ONCE_POD)
    yield _has_host_ports(subject) and _pinned(subject, _HOSTNAME)
    yield any(_pinned(subject, term.topology_key) for term in subject.workload.spec.pod_anti_affinity)


def _pinned(subject: WorkloadCheck, key: str) -> bool:
    """Whether its node requirements restrict the label, in each alternative."""
    return all(
        any((bound.field and key == _HOSTNAME) or bound.requirement.key == key for bound in bounds)
        for bounds in alternatives(subject.workload.spec)
    )


def _claims(unit: ApplySet, subject: WorkloadCheck, mode: str) -> bool:
    """Whether it uses a claim of the manifests with exactly this access mode."""
    return any(set(one.access_modes) == {mode} for one in unit.claims_of(subject.workload))


def _has_host_ports(subject: WorkloadCheck) -> bool:
    spec = subject.workload.spec
    return any(container.host_ports for container in (*spec.containers, *spec.init_containers))


def _is_over(judgement: Judgement, certain: frozenset[str]) -> bool:
    """Whether it waits at the end only for something that no node provides."""
    waiting = judgement.runs.trace.waiting if judgement.runs.trace else ()
    mine = [one for one in waiting if one.owner == judgement.workload.key]
    waits = mine or ([judgement.room.waiting] if judgement.room.waiting is not None else [])
    if not waits:
        return judgement.room.refusal is not None
    return all(one.refusal or (one.lacks and all(lack.plugin in certain for lack in one.lacks)) for one in waits)


@once
def on_generous_nodes(unit: ApplySet) -> Scenario:
    """A scenario in which all workloads roll out on generous nodes, with the volumes that they ask for."""
    placed = [one for one in unit.subjects if one.places_pods and one.placed_here and not one.workload.custom]
    rolled = {one.key: Transition(one.workload, one.workload) for one in placed}
    cluster = with_bound_claims(unit.cluster, [one.workload for one in placed])
    enough = sum(map(nodes_for, rolled.values()))
    nodes = further_nodes([created_pod(one.workload, "new") for one in placed], cluster, enough).nodes
    return Scenario(rolled, replace(cluster, nodes=nodes, pods=()), (), unit.budget)


def without_spare_node(scenario: Scenario, key: WorkloadKey) -> Scenario:
    """A scenario with only one workload, on as many nodes as it has pods."""
    one, nodes = scenario.transitions[key], scenario.cluster.nodes
    pod, cluster = created_pod(one.new, "new"), scenario.cluster
    mine = [node for node in nodes if fit(pod, Snapshot.of(replace(cluster, nodes=(node,)))).schedulable]
    alone = replace(scenario, transitions={key: one})
    return on_nodes_of(alone, replace(cluster, nodes=tuple(mine[: one.new.replicas])))


def nodes_for(one: Transition) -> int:
    """A number of nodes that is enough for its old and new pods and one more."""
    return 2 * one.new.replicas + 1
