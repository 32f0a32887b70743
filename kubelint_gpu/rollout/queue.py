"""Pods of others that wait for a node when a rollout begins: what it frees, they may take."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kubelint_gpu.kube.cluster import Cluster
from kubelint_gpu.kube.neighbours import SCHEDULERS
from kubelint_gpu.kube.pod import DEFAULT_SCHEDULER, Pod
from kubelint_gpu.kube.workload import Workload
from kubelint_gpu.rollout.explorer import Verdict
from kubelint_gpu.rollout.judgement import Judgement
from kubelint_gpu.rollout.locality import attends
from kubelint_gpu.rollout.participant import (
    anonymous,
    created_pod,
    identity,
    is_temporary,
    is_waiting,
    own_waiting,
    owner_of,
)
from kubelint_gpu.rollout.preemptions import Overlooked
from kubelint_gpu.rollout.room import Demand, always_room, takes
from kubelint_gpu.rollout.search import Bench, Search
from kubelint_gpu.values import dataclass, replace

_MOST_KINDS = 6
_PART = 4


@dataclass(frozen=True, slots=True)
class Queued:
    """Pods that nothing tells apart and that wait for a node; `demand` is what they could take where."""

    pods: tuple[Pod, ...]
    demand: Demand


def queued(
    cluster: Cluster, workloads: Sequence[Workload], eligible: Callable[[Pod], frozenset[str]]
) -> tuple[Queued, ...]:
    """The pods that wait and are of none of the workloads, without those that end by themselves some day.

    A pod of a scheduler that is no known one and serves nobody waits for ever, and so does one that fits on no empty
    node; `eligible` tells which nodes those are.
    """
    served = {DEFAULT_SCHEDULER, *SCHEDULERS, *(pod.spec.scheduler_name for pod in cluster.pods if pod.spec.node_name)}
    waiting = [
        pod for pod in cluster.pods if is_waiting(pod) and pod.spec.scheduler_name in served and not is_temporary(pod)
    ]
    for workload in workloads if waiting else ():
        own = {id(pod) for pod in own_waiting(workload, waiting)}
        waiting = [pod for pod in waiting if id(pod) not in own]
    groups: dict[tuple[object, ...], list[Pod]] = {}
    for pod in waiting:
        groups.setdefault((owner_of(pod) or pod.meta.name, *identity(pod)), []).append(pod)
    found = []
    for pods in groups.values():
        nodes, count = eligible(anonymous(pods[0])), len(pods)
        if nodes:
            demand = Demand(nodes, takes(pods[0]), most=count, rest=count, whole=count, simple=False)
            found.append(Queued(tuple(pods), demand))
    return tuple(found)


def beside_queued(bench: Bench, position: int, found: Judgement, queue: Sequence[Queued]) -> Judgement:
    """The judgement of a rollout that ends while nobody else wants anything, where others wait for a node already.

    Each of them may be bound before it begins, while it goes on, or never.
    """
    participant, demand = bench.participants[position], bench.demands[position]
    if found.verdict is not Verdict.COMPLETES or not participant.rolling:
        return found
    new = created_pod(participant.new, "new")
    near = [one for one in queue if not one.demand.nodes.isdisjoint(demand.nodes)]
    if not near:
        return found
    wanted = [*bench.demands, *(one.demand for one in near)]
    apart = any(attends(one.pods[0], new) for one in near)
    if not apart and not participant.hindered and always_room(position, wanted, bench.residual, at_rest=True):
        return found
    # more of one kind than pods can ever go take nothing that fewer of them could not
    most = participant.before + participant.replicas + 1
    pods = tuple(pod for one in near[:_MOST_KINDS] for pod in one.pods[:most])
    search = Search(replace(bench, queued=pods, budget=bench.budget // _PART))
    scene = search.scene(frozenset({position}), ())
    try:
        # one placement is enough to show that it may, and of many workloads there are many placements
        states, trace = search.stuck_run(scene)
    except Overlooked:
        states, trace = 0, None
    counted = any(quota.covers(pod) for quota in bench.cluster.quotas for pod in pods)
    if trace is not None and not counted:
        return replace(found, verdict=Verdict.MAY_STICK, by_bound=False, states=found.states + states, trace=trace)
    ends = search.searched(frozenset({position}), scene.cast.members[position])
    states += found.states + ends.states
    if trace is not None and ends.verdict is not Verdict.STUCK:
        return replace(found, verdict=Verdict.MAY_STICK, by_bound=False, states=states, trace=trace)
    if ends.verdict not in (Verdict.STUCK, Verdict.MAY_STICK):
        return replace(found, states=states)
    return replace(
        found,
        verdict=ends.verdict,
        by_bound=False,
        states=states,
        trace=ends.trace,
        evicts=ends.evicts,
        eviction=ends.eviction,
    )
