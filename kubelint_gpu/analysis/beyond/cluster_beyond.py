"""The declared cluster with hypothetical nodes beyond the inventory."""

from __future__ import annotations

from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.growth import fully_grown
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.questions.beyond_inventory import further_nodes
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadKey


class Further(Value):
    """The declared cluster with hypothetical nodes, the best possible ones for the unit's pods.

    `taken` are the keys of the workloads whose pods these nodes take; `known` says whether that is known for all.
    """

    cluster: Cluster
    taken: frozenset[WorkloadKey] = frozenset()
    known: bool = True


@once
def cluster_beyond(unit: ApplySet) -> Further:
    """The declared cluster with hypothetical nodes beyond the inventory."""
    transitions = transitions_in(unit)
    users = [one for found in transitions.values() for one in (found.new, found.old)]
    pods = {
        (key, old): created_pod(found.old if old else found.new, "old" if old else "new")
        for key, found in transitions.items()
        for old in (False, True)
        if not controller_of(found.new).node_bound
    }
    enough = sum(2 * one.new.replicas + one.old.replicas + 1 for one in transitions.values())
    daemons = [created_pod(one.new, "new") for one in transitions.values() if controller_of(one.new).node_bound]
    found = further_nodes(list(pods.values()), with_bound_claims(unit.cluster, users), enough, daemons)
    takes = dict(zip(pods, found.takes, strict=True))
    return Further(
        replace(unit.cluster, nodes=(*unit.cluster.nodes, *found.nodes)),
        frozenset(key for (key, old), taken in takes.items() if taken and not old),
        all(taken is not None for taken in found.takes),
    )


@once
def grown_beyond(unit: ApplySet) -> Cluster:
    """The same after pools have grown, with the devices of their nodes; those of hypothetical nodes are unknown."""
    return fully_grown(cluster_beyond(unit).cluster, unit.growth, SIMULATION.pool_nodes)
