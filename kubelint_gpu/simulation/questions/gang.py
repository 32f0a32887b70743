"""Jobs that need all their pods at once: each can hold a part of what all of them need.

The default scheduler places pod by pod; only preemption by a pod of higher priority gives a part back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.controllers.rollout_state import READY, Content, State, canonical, count_on, more, on_node
from kubelint_gpu.simulation.model.preemptions import UnmodelledVictim
from kubelint_gpu.simulation.model.simulation import Simulation, placed, placed_on
from kubelint_gpu.simulation.prepare.workload_change import pods_of_others
from kubelint_gpu.simulation.search.explorer import explore
from kubelint_gpu.simulation.search.placements import placements
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import Value, replace


class GangOutcome(Value):
    """The end of one Job: how many pods run of the `wanted` ones that it needs, and on which nodes."""

    owner: str
    running: int
    wanted: int
    nodes: tuple[str, ...] = ()


class Gang(Value):
    """Whether all Jobs that start at the same moment end.

    Attributes:
        verdict: `may-stick` or `stuck` if parts of Jobs can block each other; `undecided` if they may also preempt
            other pods.
        states: how many states were looked at.
        held: what each Job holds in the nearest state in which no Job ever gets all its pods.
        lone: Jobs whose pods do not all find room even alone; they are left out.
    """

    verdict: Verdict | None
    states: int = 0
    held: tuple[GangOutcome, ...] = ()
    lone: tuple[str, ...] = ()

    @property
    def surely(self) -> bool:
        """Whether the Jobs block each other in every order of events."""
        return self.verdict is Verdict.STUCK

    @property
    def waits(self) -> bool:
        """Whether the Jobs block each other, or may."""
        return self.verdict in (Verdict.STUCK, Verdict.MAY_STICK)


def gang(
    jobs: Sequence[Workload | Sequence[Workload]],
    cluster: Cluster,
    *,
    beside: Sequence[Workload] = (),
    budget: int = BUDGET.gangs,
) -> Gang:
    """Start Jobs together beside the running pods of others; each Job ends only after all its pods run.

    A Job can have pods of several templates: one workload for each. Workloads `beside` them run permanently and have
    their places first, in any placement. `verdict` is None if fewer than two Jobs can run at all, or if not all pods
    `beside` do.
    """
    from kubelint_gpu.simulation.model.at_full_replicas import full_simulation
    from kubelint_gpu.simulation.questions.jobs_beside import lacks_room, parts_of

    teams = [(job,) if isinstance(job, Workload) else tuple(job) for job in jobs]
    others = pods_of_others([job for team in teams for job in team], cluster.pods)
    running = tuple(pod for pod in others if pod.spec.node_name and not pod.finished)
    around = replace(cluster, pods=running)
    left_out = [lacks_room(team, teams, beside, around) for team in teams]
    lone = tuple(team[0].key for team, out in zip(teams, left_out, strict=True) if out)
    able = [tuple(job for job in team if job.replicas) for team, out in zip(teams, left_out, strict=True) if not out]
    able = [team for team in able if team]
    if len(able) < 2:
        return Gang(None, lone=lone)
    parts = [part for team in able for part in parts_of(team)]
    simulation = full_simulation([*beside, *parts], around)
    kinds = tuple(kind for members in simulation.pod_types.members[-len(parts) :] for kind in members)
    numbers = iter(kinds)
    crews = tuple(tuple(next(numbers) for _ in team) for team in able)
    try:
        starts, complete = _starts(simulation, kinds, budget)
        found = explore(
            starts, lambda state: _next(simulation, crews, state), lambda state: _is_over(kinds, state), budget
        )
    except UnmodelledVictim:
        return Gang(Verdict.UNDECIDED, lone=lone)
    if not starts:
        return Gang(None if complete else Verdict.UNDECIDED, lone=lone)
    if not found.path:
        return Gang(found.verdict if complete else Verdict.UNDECIDED, found.states, (), lone)
    held = _held(simulation, dict(zip(crews, able, strict=True)), found.path[-1])
    return Gang(found.verdict if complete else Verdict.MAY_STICK, found.states, held, lone)


def _starts(simulation: Simulation, kinds: Sequence[int], budget: int) -> tuple[list[State], bool]:
    """Each placement of the permanent workloads with all Jobs waiting, and whether these are all placements."""
    wanted = simulation.pod_types.wanted
    others = tuple([0 if kind in kinds else count for kind, count in enumerate(wanted)])
    waiting = tuple([count if kind in kinds else 0 for kind, count in enumerate(wanted)])
    if not any(others):
        nodes: tuple[Content, ...] = ((),) * len(simulation.places.names)
        devices = simulation.places.devices
        return [State((), waiting, nodes, None if devices is None else devices.first(nodes))], True
    found = placements(replace(simulation, pod_types=replace(simulation.pod_types, wanted=others)), budget)
    return [State((), waiting, state.nodes, state.held) for state in found.full], found.complete


def _next(simulation: Simulation, crews: Sequence[Sequence[int]], state: State) -> Iterator[State]:
    """Yield the next states: one more pod is placed, if necessary by preemption, or a complete Job ends."""
    classes = simulation.places.classes
    for kind in range(len(simulation.pod_types.wanted)):
        if not state.waiting[kind] or not _is_created(simulation, kind, state):
            continue
        fitting = tuple(simulation.places.fitting(kind, state))
        if not fitting:
            yield from _preempted(simulation, kind, state)
        for after in placed(simulation, kind, state, fitting):
            yield canonical(after, classes)
    for crew in crews:
        if any(state.waiting[kind] for kind in crew):
            continue
        nodes = tuple([tuple([one for one in content if one[0] not in crew]) for content in state.nodes])
        if nodes != state.nodes:
            yield canonical(
                State(state.controls, state.waiting, nodes, simulation.places.released_all(crew, state)), classes
            )


def _preempted(simulation: Simulation, kind: int, state: State) -> Iterator[State]:
    """Yield the states after one pod preempts pods of lower priority, which their Jobs create again."""
    for eviction in simulation.places.evictions(kind, state, None, None) or ():
        without = state
        for victim, phase in eviction.victims:
            waiting = more(without.waiting, victim, 1)
            held = simulation.places.released(victim, eviction.node, without)[0]
            nodes = on_node(without.nodes, eviction.node, (victim, phase, -1))
            without = without._replace(waiting=waiting, nodes=nodes, held=held)
        for after in placed_on(simulation, kind, eviction.node, without):
            yield canonical(after, simulation.places.classes)


def _is_created(simulation: Simulation, kind: int, state: State) -> bool:
    """Whether quotas admit one more pod of a kind beside the running ones."""
    running = state._replace(waiting=(0,) * len(state.waiting))
    return simulation.places.may_create(kind, running)


def _is_over(jobs: Sequence[int], state: State) -> bool:
    if any(state.waiting[kind] for kind in jobs):
        return False
    return not any(kind in jobs for content in state.nodes for kind, _, _ in content)


def _held(
    simulation: Simulation, jobs: Mapping[Sequence[int], Sequence[Workload]], state: State
) -> tuple[GangOutcome, ...]:
    found = []
    for crew, team in jobs.items():
        on = [
            (name, sum(count_on(content, kind, READY) for kind in crew))
            for name, content in zip(simulation.places.names, state.nodes, strict=True)
        ]
        names = tuple(name for name, count in on if count)
        if any(state.waiting[kind] for kind in crew):
            wanted = sum(job.replicas for job in team)
            found.append(GangOutcome(team[0].key, sum(count for _, count in on), wanted, names))
    return tuple(found)
