"""Clusters whose nodes are as generous to the pods of a unit as any could be."""

from __future__ import annotations

from kubelint_gpu.analysis.scenarios import Scenario, on_nodes_of
from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.questions.beyond_inventory import further_nodes
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadKey


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
