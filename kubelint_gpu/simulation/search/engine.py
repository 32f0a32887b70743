"""The search of one situation: its simulation, all its runs, and the runs to show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from kubelint_gpu.budget import BUDGET, PARTS, SIMULATION
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.simulation.model import preemptions
from kubelint_gpu.simulation.model import simulation as simulations
from kubelint_gpu.simulation.model.pod_types import build_pod_types
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange
from kubelint_gpu.simulation.search import placements, replay, single_runs
from kubelint_gpu.simulation.search.explorer import Exploration, explore
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.trace import Evicted, Trace
from kubelint_gpu.simulation.search.verdict import Runs, Verdict
from kubelint_gpu.values import Value, replace
from kubelint_gpu.work import UsedUp, part

if TYPE_CHECKING:
    from kubelint_gpu.simulation.controllers.rollout_state import State


T = TypeVar("T")


class SearchResult(Value):
    """The result of a search of one simulation."""

    simulation: simulations.Simulation
    starts: placements.Starts
    verdict: Verdict | None
    runs: Runs


class GroupSearch:
    """Searches the runs of one group."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.outsiders = situation.temporary_holders()
        self._made: dict[tuple[frozenset[int], frozenset[int]], simulations.Simulation] = {}

    def searched(
        self,
        rolling: frozenset[int],
        mine: Sequence[int] | None = None,
        scaling: frozenset[int] = frozenset(),
        ends: str = "",
        part: int = 1,
    ) -> SearchResult:
        """Search all runs. Pods that are preempted although they were assumed to stay may change in the next attempt.

        With `ends` it only decides whether the rollout of that workload ends. The budget is divided by `part`.
        """
        extra: list[Pod] = []
        # a run that the core does not confirm step by step proves nothing
        with suppress(replay.ReplayMismatch):
            budget = self.situation.budget // part
            found = self.playing(
                lambda more: self._search(self.simulation(rolling, more, scaling), mine, ends, budget), extra
            )
            if found is not None:
                return found
        simulation = self.simulation(rolling, extra)
        return SearchResult(simulation, placements.placements(simulation, 0), Verdict.UNDECIDED, Runs(searched=True))

    def _search(
        self, simulation: simulations.Simulation, mine: Sequence[int] | None, ends: str, budget: int
    ) -> SearchResult:
        budget = worth(budget, simulation)
        starts = placements.placements_of_all(simulation, budget // 2, self.situation.memo)
        states = starts.full
        if not starts.complete:
            states = states[: BUDGET.starts]
        if not states:
            # others wait for ever for a place of their own; that is not a reason to say nothing of this one
            all_mine = mine is not None and all(starts.least[one] == simulation.pod_types.wanted[one] for one in mine)
            states = starts.partial if all_mine else ()
        if not states:
            verdict = None if starts.complete else Verdict.UNDECIDED
            return SearchResult(simulation, starts, verdict, Runs(searched=True, states=starts.looked_at))
        first: dict[str, State] = {}
        model = simulation.model
        several = len({kind.priority for kind in simulation.pod_types.kinds}) > 1
        successors = partial(model.successors, evicts=first) if several else model.successors
        done = partial(model.done, name=ends)
        left = budget - starts.looked_at
        runs: list[single_runs.SingleRuns] = []

        def is_told() -> bool:
            runs.append(single_runs.single_runs(model, states, done, left // PARTS.single_runs))
            return bool(runs[0].stuck)

        found = explore(states, successors, done, left, is_told)
        verdict, path = _cut(found.verdict, starts), found.path
        if verdict is Verdict.UNDECIDED and runs and runs[0].stuck:
            verdict, path = Verdict.MAY_STICK, runs[0].stuck
        looked_at = starts.looked_at + found.states + sum(one.states for one in runs)
        trace = self.replayed(simulation, path) if path else None
        evicts, eviction = self._evictions(simulation, found, first)
        told = Runs(searched=True, states=looked_at, trace=trace, evicts=evicts, eviction=eviction)
        return SearchResult(simulation, starts, verdict, told)

    def playing(self, asked: Callable[[Sequence[Pod]], T], extra: list[Pod] | None = None) -> T | None:
        """The result of `asked` with `extra` running pods in play; None if too many attempts are needed.

        Pods that are preempted although they were assumed to stay are put in play for the next attempt.
        """
        extra = [] if extra is None else extra
        for _ in range(BUDGET.retries):
            try:
                return asked(extra)
            except preemptions.UnmodelledVictim as overlooked:
                extra += self.situation.like(overlooked.pods, extra)
        return None

    def _evictions(
        self, simulation: simulations.Simulation, found: Exploration[State], first: dict[str, State]
    ) -> tuple[tuple[Evicted, ...], Trace | None]:
        """The pods that runs preempt, each by the shortest run that does."""
        shortest: Trace | None = None
        every: list[Evicted] = []
        for owner, state in first.items():
            model = simulation.model
            following = next(after for step, after in model.steps(state) if owner in model.evicted(step))
            path = (*found.path_to(state), simulation.places.canonical(following))
            trace = self.replayed(simulation, path, ends=False)
            shortest = shortest or trace
            every += [one for one in trace.evictions if one.owner == owner and one not in every]
        return tuple(every), shortest

    def simulation(
        self, rolling: frozenset[int], extra: Sequence[Pod], scaling: frozenset[int] = frozenset()
    ) -> simulations.Simulation:
        """The simulation of the whole situation; `extra` are running pods that may change, too."""
        situation = self.situation

        def found() -> simulations.Simulation:
            return self.simulated(situation.participants, rolling, (*self.outsiders, *extra), situation.fixed, scaling)

        if extra:
            return found()
        if rolling or scaling:
            return self._made.get((rolling, scaling)) or self._made.setdefault((rolling, scaling), found())
        parts = (situation.participants, situation.fixed, situation.queued, situation.grown)
        return situation.memo.of("at rest", parts, found)

    def simulated(
        self,
        participants: Sequence[WorkloadChange],
        rolling: frozenset[int],
        in_play: Sequence[Pod],
        standing: Sequence[Pod],
        scaling: frozenset[int] = frozenset(),
        few: int | None = None,
        kept: frozenset[str] = frozenset(),
    ) -> simulations.Simulation:
        """The simulation of some workloads beside `standing` pods; `few` and `kept` as in `build_simulation`."""
        situation = self.situation
        gone = {pod.identifier for pod in in_play}
        fixed = [pod for pod in standing if pod.identifier not in gone]
        simulation = simulations.build_simulation(
            build_pod_types(participants, rolling, in_play, situation.cluster, scaling, situation.queued),
            situation.cluster,
            fixed,
            empty=situation.empty,
            grown=situation.grown,
            few=few,
            kept=kept,
        )
        return replace(simulation, model=replace(simulation.model, joins=situation.joins), in_play=frozenset(gone))

    def stuck_run(self, simulation: simulations.Simulation, ends: str = "") -> Runs:
        """A stuck run from one placement.

        With `ends`, only this workload must be stuck. No run if none is found within the budget, or if the scheduler
        core does not confirm it.
        """
        start = placements.one_placement(simulation)
        looked_at = 0
        if start is None:
            starts = placements.placements(simulation, self.situation.budget)
            start, looked_at = next(iter((*starts.full, *starts.partial)), None), starts.looked_at
        if start is None:
            return Runs(states=looked_at)
        found = self.stuck_from(simulation, start, ends)
        return replace(found, states=looked_at + found.states)

    def stuck_from(self, simulation: simulations.Simulation, start: State, ends: str = "") -> Runs:
        """A stuck run from one start."""
        states, trace = 0, None
        with suppress(replay.ReplayMismatch, UsedUp), part(3, 4):
            done = partial(simulation.model.done, name=ends)
            path, states = single_runs.stuck_path(simulation.model, start, done, self.situation.budget)
            trace = self.replayed(simulation, path) if path and all(map(simulation.has_spare, path)) else None
        return Runs(states=states, trace=trace)

    def ends_once(self, rolling: frozenset[int], ends: str) -> bool:
        """Whether one run from one placement reaches the end of a workload's rollout. False if that is not known."""
        with suppress(preemptions.UnmodelledVictim, UsedUp), part(3, 4):
            simulation = self.simulation(rolling, ())
            start = placements.one_placement(simulation)
            return start is not None and single_runs.reaches(simulation.model, start, ends)
        return False

    def replayed(self, simulation: simulations.Simulation, path: Sequence[State], *, ends: bool = True) -> Trace:
        """Describe a run in words, after the scheduler core has confirmed each step on the whole cluster."""
        fixed = tuple(pod for pod in self.situation.fixed if pod.identifier not in simulation.in_play)
        cluster = replace(self.situation.cluster, pods=fixed)
        return replay.replay(simulation, path, cluster, self.situation.beside(fixed), ends=ends)


def worth(budget: int, simulation: simulations.Simulation) -> int:
    """The budget of one search: a state of many nodes costs as much as several states of few nodes."""
    return max(
        min(budget, SIMULATION.least_states),
        budget * SIMULATION.few_nodes // max(SIMULATION.few_nodes, len(simulation.places.names)),
    )


def _cut(verdict: Verdict, starts: placements.Starts) -> Verdict:
    """Return what a search from some of the placements proves about all of them."""
    if starts.complete:
        return verdict
    return {Verdict.STUCK: Verdict.MAY_STICK, Verdict.COMPLETES: Verdict.UNDECIDED}.get(verdict, verdict)
