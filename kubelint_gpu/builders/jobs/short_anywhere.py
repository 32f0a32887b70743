"""Whether as few pods of a Job run whatever nodes there are."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.engine.api import WorkloadCheck
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.questions.beyond_inventory import further_nodes
from kubelint_gpu.simulation.questions.starved_jobs import running_at_once
from kubelint_gpu.values import replace


def stays_short(
    jobs: Sequence[Workload], beside: Sequence[WorkloadCheck], cluster: Cluster, found: tuple[int, int]
) -> bool:
    """Whether as few of its pods run whatever nodes there are beyond the inventory."""
    others = [one.workload for one in beside]
    daemons = [created_pod(one.workload, "new") for one in beside if one.controller.node_bound]
    alone = [*jobs, *(one.workload for one in beside if not one.controller.node_bound)]
    enough = sum(one.replicas for one in alone)
    pods = [created_pod(one, "new") for one in alone]
    further = further_nodes(pods, with_bound_claims(cluster, (*jobs, *others)), enough, daemons)
    if any(taken is None for taken in further.takes):
        return False
    return running_at_once(jobs, others, replace(cluster, nodes=(*cluster.nodes, *further.nodes))) == found
