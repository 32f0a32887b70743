"""Where daemon pods run while other workloads roll out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, permutations

from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.meta import OwnerReference
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.scheduler.attempt import reservations
from kubelint_gpu.scheduler.framework.node_info import has_claims
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange
from kubelint_gpu.values import replace

Standing = dict[int, list[Pod]]
"""The pods of each DaemonSet, by its number among the participants."""


def standing_daemons(
    participants: Sequence[WorkloadChange], pods: Sequence[tuple[Pod, Pod]], cluster: Cluster, rest: Sequence[Pod]
) -> list[Standing]:
    """The daemon pods on all nodes with room beside the running pods, for each order of the DaemonSets.

    `pods` are an old and a new pod of each participant, `rest` the running pods of no participant. Orders with the same
    result are returned once.
    """
    daemons = [number for number, found in enumerate(participants) if found.daemons]

    def placed(order: Sequence[int]) -> Standing:
        found: Standing = {}
        running = [*rest, *(pod for one in participants if not one.daemons for pod in one.running)]
        for number in order:
            found[number] = _pods_of(participants[number], pods[number][0], cluster, running)
            running += found[number]
        return found

    first = placed(daemons)
    every_one = [(len(first[number]), participants[number]) for number in daemons]
    if len(daemons) < 2 or all(has == len(one.nodes) + len(one.stays) - len(one.fresh) for has, one in every_one):
        return [first]
    every = {_where(first): first}
    for order in islice(permutations(daemons), 1, SIMULATION.daemon_orders):
        other = placed(order)
        every.setdefault(_where(other), other)
    return list(every.values())


def _pods_of(participant: WorkloadChange, pod: Pod, cluster: Cluster, running: Sequence[Pod]) -> list[Pod]:
    """The pods of a DaemonSet that exist at the start.

    It leaves a node of `left` at once. On a node of `fresh` it comes after the pods that run there.
    """
    name = participant.old.meta.name
    snapshot = Snapshot.of(replace(cluster, pods=tuple(running)))
    nodes = [node for node in (*participant.nodes, *participant.stays) if node not in participant.fresh]
    room = frozenset(fit(pod, snapshot).takers) & frozenset(nodes)
    known = {one.spec.node_name: one for one in participant.running if one.spec.node_name not in participant.left}
    mine = []
    for node in sorted(room | known.keys()):
        one = known.get(node) or _pod_on_node(pod, node, name)
        if node not in known and has_claims(pod):
            one = reservations(one, snapshot, node)[0]
            snapshot = snapshot.place(one, node)
        mine.append(one)
    if any(quota.covers(pod) for quota in cluster.quotas):
        # a pod that waits for its node is charged like any other
        mine += [_pod_on_node(pod, "", name) for node in nodes if node not in room]
    return mine


def _pod_on_node(pod: Pod, node: str, name: str) -> Pod:
    meta = replace(pod.meta, name=f"{name}-{node}", uid=f"{name}-{node}", owner=OwnerReference("DaemonSet", name))
    return replace(pod, meta=meta, spec=replace(pod.spec, node_name=node), phase="Running", ready=True)


def _where(found: Mapping[int, Sequence[Pod]]) -> frozenset[tuple[int, str]]:
    return frozenset((number, pod.spec.node_name) for number, pods in found.items() for pod in pods)
