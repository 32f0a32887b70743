"""Nodes that cannot take all pods that fit nowhere else, because of ports or anti-affinity, not resources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.groups import grouped, in_order
from kubelint_gpu.scheduler import fit
from kubelint_gpu.scheduler.framework.pod_memory import host_ports
from kubelint_gpu.simulation.controllers.daemon_nodes import pinned_pod
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.questions.most_pods import find_no_room_together
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck


@once
def places(unit: ApplySet) -> Mapping[tuple[str, ...], int]:
    """Return, for sets of nodes too small for certain workloads together, one less than the number of their pods."""
    lasting = (one for one in unit.subjects if not (one.controller.node_bound or one.controller.runs_to_completion))
    judged = [judgements_in(unit).get(one.key) for one in lasting]
    found = grouped((one.room.without_place, one.workload) for one in judged if one is not None)
    return {
        nodes: sum(one.replicas for one in workloads) - 1
        for nodes, workloads in found.items()
        if nodes and 1 < len(workloads) <= SIMULATION.together and find_no_room_together(workloads, unit.cluster)
    }


@once
def places_of_daemons(unit: ApplySet) -> Mapping[tuple[str, ...], int]:
    """Return, for nodes that DaemonSets cannot share, one less than the number of their pods."""
    judged = [(one, judgements_in(unit).get(one.key)) for one in unit.subjects if one.controller.node_bound]
    found = grouped((tuple(in_order(one.room.full)), subject) for subject, one in judged if one is not None)
    return {
        nodes: len(nodes) * len(subjects) - 1
        for nodes, subjects in found.items()
        if nodes and not _beside_each_other(unit, subjects, nodes[0])
    }


def ports_of_daemons(unit: ApplySet, names: Collection[str]) -> tuple[int, ...]:
    """The host ports that several DaemonSets ask for, on nodes that do not take all their pods."""
    judged = [(one, judgements_in(unit).get(one.key)) for one in unit.subjects if one.controller.node_bound]
    full = (subject for subject, one in judged if one is not None and not one.room.full.isdisjoint(names))
    found = Counter(port for one in full for port in frozenset(host_ports(one.workload.spec)))
    return tuple(sorted({port.port for port, times in found.items() if times > 1}))


def _beside_each_other(unit: ApplySet, subjects: Sequence[WorkloadCheck], name: str) -> bool:
    snapshot = unit.empty
    for one in subjects:
        pod = pinned_pod(created_pod(one.workload, "new", one.workload.meta.name), name)
        if not fit(pod, snapshot).schedulable:
            return False
        snapshot = snapshot.place(pod, name)
    return True
