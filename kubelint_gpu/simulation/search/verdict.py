"""Verdicts of a simulation about rollouts, with the runs that show them and the rows of judgements behind them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from kubelint_gpu.kube.objects.quota import QuotaRefusal
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler.framework.facts import Held
from kubelint_gpu.simulation.hypotheses import ALONE, SEARCH, USED_UP, Hypothesis, Row
from kubelint_gpu.simulation.search.trace import Evicted, Trace, Waiting
from kubelint_gpu.values import PartlyCompared, Value, replace


class Verdict(str, Enum):
    """Whether every run reaches its end.

    `stuck`: no run can.
    `may-stick`: some run reaches a state from which none can.
    `completes`: the end can be reached from every reachable state.
    `undecided`: the budget ended before it was known.
    """

    STUCK = "stuck"
    MAY_STICK = "may-stick"
    COMPLETES = "completes"
    UNDECIDED = "undecided"


WAITS = (Verdict.STUCK, Verdict.MAY_STICK)
OF_A_RUN = ("verdict", "trace", "evicts", "eviction")
"""What a search, or rollouts at once, say of runs in the same fields as a judgement."""


class Judgement(PartlyCompared):
    """The result of the analysis of one workload.

    Attributes:
        workload: the workload after its change.
        verdict: whether its rollout ends; None if there is no rollout, or if its pods lack room even without one.
        by_bound: whether a bound decided it; otherwise the search did.
        by: the name of the decider.
        states: how many states the search looked at.
        wanted: how many pods it wants.
        placed: how many of them can run at once before any rollout, beside everything else.
        at_best: how many can run if the others are placed in the best way for it; None if that is not known.
        waiting: what the next pod waits for beside everything else, if that is known.
        alone: how many could run beside only the running pods of the inventory.
        eligible: the nodes that take its pod when nothing else runs.
        crowded: nodes on which a DaemonSet's pod finds no room beside the running pods of the inventory.
        trace: the shortest known run that gets stuck; None if there is none. For a StatefulSet that lacks room, how it
            halts.
        evicts: the pods that runs of the rollout preempt, the earliest first.
        eviction: the shortest run that preempts a pod of another workload; None if there is none.
        grows: whether the verdict relies on nodes that an autoscaler may add.
        stalls: if it ends only after such a node joins, the shortest run that waits for one.
        refusal: how a quota keeps it from having all its pods; None if none does.
        unknown: what the verdict could not take into account, in words; else empty.
        company: if the rollout never ends by itself, the workloads whose rollouts at the same moment may let it end. If
            it is judged beside other changes, those that have changed when the run begins, or that make it undecided.
        by_itself: if that is undecided, whether it ends while all others stay as they are.
        rows: what each hypothesis answered on the way to the verdict; ignored when judgements are compared.
    """

    not_compared = frozenset({"rows"})
    workload: Workload
    verdict: Verdict | None
    by_bound: bool = True
    by: str = ""
    states: int = 0
    wanted: int = 0
    placed: int = 0
    at_best: int | None = None
    waiting: Waiting | None = None
    alone: int = 0
    eligible: frozenset[str] = frozenset()
    crowded: frozenset[str] = frozenset()
    trace: Trace | None = None
    evicts: tuple[Evicted, ...] = ()
    eviction: Trace | None = None
    grows: bool = False
    stalls: Trace | None = None
    refusal: QuotaRefusal | None = None
    unknown: str = ""
    company: tuple[Workload, ...] = ()
    by_itself: Verdict | None = None
    rows: tuple[Row, ...] = ()

    @classmethod
    def undecided(cls, workload: Workload) -> Judgement:
        """The judgement of a workload when no work is left to judge it."""
        wanted = workload.replicas
        rows = (Row(*ALONE, Verdict.UNDECIDED.value, USED_UP, 0),)
        return cls(workload, Verdict.UNDECIDED, by_bound=False, wanted=wanted, placed=wanted, alone=wanted, rows=rows)

    @property
    def ends(self) -> bool:
        """Whether its rollout ends, or there is none."""
        return self.verdict in (None, Verdict.COMPLETES)

    @property
    def waits(self) -> bool:
        """Whether its rollout never ends, or may never end."""
        return self.verdict in WAITS

    @property
    def full(self) -> frozenset[str]:
        """The nodes on which a pod of a DaemonSet finds no room, as far as they are known."""
        return self.crowded or frozenset(lack.node for lack in (self.waiting.lacks if self.waiting is not None else ()))

    @property
    def without_place(self) -> tuple[str, ...]:
        """The nodes that refuse its next pod although no resource or device is short; empty if one is short."""
        lacks = self.waiting.lacks if self.waiting is not None and self.placed < self.wanted else ()
        short = any(lack.resource or lack.held == Held.DEVICE.value for lack in lacks)
        return () if short else tuple(sorted({lack.node for lack in lacks}))

    @property
    def is_of_names(self) -> bool:
        """Whether it contains names: of a run, of a waiting pod, or of other workloads."""
        return any((self.waiting, self.trace, self.evicts, self.eviction, self.stalls, self.refusal, self.company))


class Together(Value):
    """The result for workloads that roll out at once and can compete.

    Attributes:
        workloads: the workloads of one group that roll out.
        verdict: whether all their rollouts end.
        by_bound: whether a bound decided it.
        states: how many states the search looked at.
        trace: the shortest known run that gets stuck.
        evicts: the pods that runs preempt.
        eviction: the shortest run that preempts a pod of another workload.
        grows: whether the verdict relies on nodes that an autoscaler may add.
        numbers: the positions of `workloads` among the given transitions.
    """

    workloads: tuple[Workload, ...]
    verdict: Verdict | None
    by_bound: bool = True
    states: int = 0
    trace: Trace | None = None
    evicts: tuple[Evicted, ...] = ()
    eviction: Trace | None = None
    grows: bool = False
    numbers: tuple[int, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether they never all end, or may not."""
        return self.verdict in WAITS


def worst(found: Sequence[Judgement]) -> Judgement:
    """The worst judgement of a workload over several orders; only possible if the orders disagree."""
    chosen = min(found, key=lambda one: (one.placed >= one.wanted, one.placed, rank(one.verdict)))
    chosen = replace(chosen, at_best=best_of(chosen, found))
    if chosen.verdict is Verdict.STUCK and any(one.verdict is not Verdict.STUCK for one in found):
        return replace(chosen, verdict=Verdict.MAY_STICK)
    return chosen


def best_of(one: Judgement, found: Sequence[Judgement]) -> int | None:
    """How many of its pods run at best, if any of these judgements of the same workload may hold.

    An undecided judgement may mean any number.
    """
    undecided = any(other.verdict is Verdict.UNDECIDED for other in found)
    most = one.wanted if undecided else max(other.placed for other in found)
    if most <= one.placed:
        return one.at_best
    return max(most, *(other.at_best or 0 for other in found))


def rank(verdict: Verdict | None) -> int:
    """The position of a verdict between the worst and the best."""
    return (None, Verdict.STUCK, Verdict.UNDECIDED, Verdict.MAY_STICK, Verdict.COMPLETES).index(verdict)


def unbounded(found: Judgement, told: Workload, built: int) -> Judgement:
    """The judgement of a workload of which only `built` pods were simulated, with the numbers of all pods."""
    more = told.replicas - built
    if more <= 0:
        return replace(found, workload=told)
    trace = found.trace

    def counted(one: Waiting) -> Waiting:
        return replace(one, count=one.count + more) if one.owner == told.key and not one.pod else one

    return replace(
        found,
        workload=told,
        wanted=_all(found.wanted, built, told),
        placed=_all(found.placed, built, told),
        alone=_all(found.alone, built, told),
        at_best=None if found.at_best is None else _all(found.at_best, built, told),
        waiting=None if found.waiting is None else counted(found.waiting),
        trace=None if trace is None else replace(trace, waiting=tuple(map(counted, trace.waiting))),
    )


def _all(number: int, built: int, told: Workload) -> int:
    """Scale a number of pods: all simulated pods stand for all pods."""
    return number if number < built else told.replicas


def is_decided(told: Judgement | Together) -> bool:
    """Whether the work sufficed for a verdict."""
    return told.verdict is not Verdict.UNDECIDED


def answer_of(judgement: Judgement) -> str:
    """Return the answer in the words of a row."""
    if judgement.verdict is not None:
        return judgement.verdict.value
    if judgement.placed >= judgement.wanted:
        return "completes"
    best = judgement.at_best
    lacks = "lacks room" if best is None or best <= judgement.placed else "may lack room"
    return f"{lacks} ({judgement.placed} of {judgement.wanted})"


def row_of(judgement: Judgement, hypothesis: Hypothesis, argument: str = "", steps: int | None = None) -> Row:
    """Return the row of a judgement under a hypothesis."""
    states = judgement.states if steps is None else steps
    return Row(*hypothesis, answer_of(judgement), argument or judgement.by or SEARCH, states)


def of_verdict(verdict: Verdict, hypothesis: Hypothesis, argument: str, steps: int = 0) -> Row:
    """Return the row of a verdict without a judgement."""
    return Row(*hypothesis, verdict.value, argument, steps)


def fold(judgement: Judgement, *rows: Row, first: Judgement | None = None, weaker: bool = False) -> Judgement:
    """Return the judgement with more rows, each once, after the rows of `first`.

    `weaker` says that one of the rows makes the verdict only possible.
    """
    before = first.rows if first is not None else ()
    every = tuple(dict.fromkeys((*before, *judgement.rows, *rows)))
    if weaker:
        return replace(judgement, verdict=Verdict.MAY_STICK, rows=every)
    return replace(judgement, rows=every)


def turned(before: Judgement, after: Judgement, hypothesis: Hypothesis, argument: str = SEARCH) -> Judgement:
    """Return `after`, the judgement under a hypothesis, with the rows of both; unchanged if it is `before`."""
    if after is before:
        return after
    row = row_of(after, hypothesis, argument, max(0, after.states - before.states))
    return fold(replace(after, rows=before.rows), row)
