"""Pods of others that wait for a node when a rollout begins: they may take what it frees."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.budget import PARTS, SIMULATION
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.gpu.resource_owners import SCHEDULERS
from kubelint_gpu.kube.objects.pod import DEFAULT_SCHEDULER, Pod
from kubelint_gpu.scheduler.relations import attends
from kubelint_gpu.simulation.bounds.change_set import changing
from kubelint_gpu.simulation.hypotheses import PENDING, SEARCH
from kubelint_gpu.simulation.model import preemptions
from kubelint_gpu.simulation.prepare.budgets_and_quotas import without_use
from kubelint_gpu.simulation.prepare.demand import Demand, always_room, takes
from kubelint_gpu.simulation.prepare.prepared_run import PreparedRun
from kubelint_gpu.simulation.prepare.workload_change import anonymous, created_pod, identity, is_waiting, owner_of
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement, Runs, Together, Verdict, fold, of_verdict, with_runs
from kubelint_gpu.values import Value, replace


class Queued(Value):
    """Equal pods that wait for a node; `demand` is what they can take, and where."""

    pods: tuple[Pod, ...]
    demand: Demand


def queued(run: PreparedRun) -> tuple[Queued, ...]:
    """The waiting pods that can still be bound.

    A pod waits for ever if its scheduler is unknown and has bound no running pod, or if it fits on no empty node.
    """
    cluster = run.cluster
    served = {DEFAULT_SCHEDULER, *SCHEDULERS, *(pod.spec.scheduler_name for pod in cluster.pods if pod.spec.node_name)}
    waiting = [pod for pod in run.waiting if is_waiting(pod) and pod.spec.scheduler_name in served]
    groups = grouped(((owner_of(pod) or pod.meta.name, *identity(pod)), pod) for pod in waiting)
    found = []
    for pods in groups.values():
        nodes, count = run.eligible_for(anonymous(pods[0])), len(pods)
        if nodes:
            demand = Demand(nodes, takes(pods[0]), most=count, rest=count, whole=count, simple=False)
            found.append(Queued(tuple(pods), demand))
    return tuple(found)


def beside_queued(situation: Situation, position: int, found: Judgement, queue: Sequence[Queued]) -> Judgement:
    """The judgement of a rollout that ends by itself, if other pods already wait for a node.

    Each of these can be bound before the rollout, during it, or never. Known changes happen at the same moment, too. If
    rollouts of others stop this one, the judgement is about all of them together.
    """
    participant = situation.participants[position]
    if not queue or found.verdict is not Verdict.COMPLETES or not participant.rolling:
        return found
    mine = frozenset({position})
    pods = _in_the_way(situation, mine, queue)
    if not pods:
        return found
    moving = changing(situation, position) if participant.known else frozenset[int]()
    rolls = frozenset(place for place in moving if situation.participants[place].replaces)
    told = _with_queued(situation, mine, moving - rolls, pods, participant.new.key)
    states = found.runs.states + told.runs.states
    if rolls and told.waits:
        # what others give up as they are rolled may be what it needs
        along = _with_queued(situation, mine | rolls, moving - rolls, pods, participant.new.key)
        states += along.runs.states
        told = along if not along.waits else told
    if told.verdict is not None:
        found = fold(found, of_verdict(told.verdict, PENDING, SEARCH, states - found.runs.states))
    if not told.waits:
        return with_runs(found, states=states)
    return replace(found, verdict=told.verdict, runs=replace(told.runs, states=states))


def together_beside_queued(situation: Situation, found: Together, queue: Sequence[Queued], ends: str = "") -> Together:
    """The judgement of rollouts that begin together beside waiting pods; with `ends`, only of that workload."""
    rolling = frozenset(place for place, one in enumerate(situation.participants) if one.rolling)
    pods = _in_the_way(situation, rolling, queue) if queue and found.verdict is Verdict.COMPLETES else ()
    if not pods:
        return found
    scaling = frozenset(place for place, one in enumerate(situation.participants) if one.moves) - rolling
    told = _with_queued(situation, rolling, scaling, pods, ends)
    told = with_runs(told, states=found.runs.states + told.runs.states)
    return replace(told, workloads=found.workloads) if told.waits else with_runs(found, states=told.runs.states)


def _in_the_way(situation: Situation, rolling: frozenset[int], queue: Sequence[Queued]) -> tuple[Pod, ...]:
    """The waiting pods that can take a place that new pods of some participants need."""
    near = [one for one in queue if any(_meets(one, situation.demands[place]) for place in rolling)]
    wanted = [*situation.demands, *(one.demand for one in near)]
    if all(_has_room(situation, place, wanted, near) for place in rolling):
        return ()
    # more of one kind than pods can ever go take nothing that fewer of them could not
    most = sum(situation.participants[place].before + situation.participants[place].replicas for place in rolling) + 1
    return tuple(pod for one in near[: SIMULATION.pending_kinds] for pod in one.pods[:most])


def _meets(one: Queued, demand: Demand) -> bool:
    return not one.demand.nodes.isdisjoint(demand.nodes)


def _has_room(situation: Situation, place: int, wanted: Sequence[Demand], near: Sequence[Queued]) -> bool:
    participant = situation.participants[place]
    mine = [one for one in near if _meets(one, situation.demands[place])]
    new = created_pod(participant.new, "new")
    if not mine or participant.hindered or any(attends(one.pods[0], new) for one in mine):
        return not mine
    return always_room(place, wanted, situation.residual, at_rest=True)


def _with_queued(
    situation: Situation, rolling: frozenset[int], scaling: frozenset[int], pods: tuple[Pod, ...], ends: str
) -> Together:
    """Judge rollouts, or only that of the workload `ends`, while some pods wait for a node."""
    cluster, budget = without_use(situation.cluster, pods), situation.budget // PARTS.pending
    search = GroupSearch(replace(situation, cluster=cluster, queued=pods, budget=budget))
    simulation = search.simulation(rolling, (), scaling)
    try:
        # one placement is enough to show that it may, and of many workloads there are many placements
        runs = replace(search.stuck_run(simulation, ends), searched=True)
    except preemptions.UnmodelledVictim:
        runs = Runs(searched=True)
    may = Together((), Verdict.MAY_STICK, runs)
    counted = any(quota.covers(pod) for quota in situation.cluster.quotas for pod in pods)
    if runs.trace is not None and not counted:
        return may
    (one, *more) = sorted(rolling)
    found = search.searched(rolling, None if more else simulation.pod_types.members[one], scaling, ends)
    at_most = runs.trace is not None and found.verdict is not Verdict.STUCK
    told = may if at_most else Together((), found.verdict, found.runs)
    return with_runs(told, states=runs.states + found.runs.states)
