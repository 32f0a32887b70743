"""Verdicts of a simulation about rollouts, with the runs that show them and the rows of judgements behind them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, TypeVar

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


class PodRoom(Value):
    """How many pods of a workload find room before any rollout, and what keeps out the others.

    Attributes:
        wanted: how many pods it wants.
        placed: how many of them can run at once, beside everything else.
        at_best: how many can run if the others are placed in the best way for it; None if that is not known.
        alone: how many could run beside only the running pods of the inventory.
        waiting: what the next pod waits for beside everything else, if that is known.
        refusal: how a quota keeps it from having all its pods; None if none does.
        eligible: the nodes that take its pod when nothing else runs.
        crowded: nodes on which a DaemonSet's pod finds no room beside the running pods of the inventory.
    """

    wanted: int = 0
    placed: int = 0
    at_best: int | None = None
    alone: int = 0
    waiting: Waiting | None = None
    refusal: QuotaRefusal | None = None
    eligible: frozenset[str] = frozenset()
    crowded: frozenset[str] = frozenset()

    @property
    def missing(self) -> int:
        """How many of its pods cannot run beside the others."""
        return max(0, self.wanted - self.placed)

    @property
    def is_short(self) -> bool:
        """Whether not all its pods can run at once."""
        return self.placed < self.wanted

    @property
    def full(self) -> frozenset[str]:
        """The nodes on which a pod of a DaemonSet finds no room, as far as they are known."""
        return self.crowded or frozenset(lack.node for lack in (self.waiting.lacks if self.waiting is not None else ()))

    @property
    def without_place(self) -> tuple[str, ...]:
        """The nodes that refuse its next pod although no resource or device is short; empty if one is short."""
        lacks = self.waiting.lacks if self.waiting is not None and self.is_short else ()
        short = any(lack.resource or lack.held == Held.DEVICE.value for lack in lacks)
        return () if short else tuple(sorted({lack.node for lack in lacks}))


class Runs(Value):
    """What runs of rollouts show.

    Attributes:
        searched: whether the search decided; otherwise a bound did.
        states: how many states the search looked at.
        trace: the shortest known run that gets stuck; None if there is none. For a StatefulSet that lacks room, how it
            halts.
        evicts: the pods that runs preempt, the earliest first.
        eviction: the shortest run that preempts a pod of another workload; None if there is none.
        grows: whether the verdict relies on nodes that an autoscaler may add.
        stalls: if a rollout ends only after such a node joins, the shortest run that waits for one.
        by_itself: if it is undecided beside other changes, whether a rollout ends while all others stay as they are.
    """

    searched: bool = False
    states: int = 0
    trace: Trace | None = None
    evicts: tuple[Evicted, ...] = ()
    eviction: Trace | None = None
    grows: bool = False
    stalls: Trace | None = None
    by_itself: Verdict | None = None


class Judgement(PartlyCompared):
    """The result of the analysis of one workload.

    Attributes:
        workload: the workload after its change.
        verdict: whether its rollout ends; None if there is no rollout, or if its pods lack room even without one.
        by: the name of the decider.
        room: how many of its pods find room.
        runs: what runs of its rollout show.
        unknown: what the verdict could not take into account, in words; else empty.
        company: if the rollout never ends by itself, the workloads whose rollouts at the same moment may let it end. If
            it is judged beside other changes, those that have changed when the run begins, or that make it undecided.
        rows: what each hypothesis answered on the way to the verdict; ignored when judgements are compared.
    """

    not_compared = frozenset({"rows"})
    workload: Workload
    verdict: Verdict | None
    by: str = ""
    room: PodRoom = PodRoom()
    runs: Runs = Runs()
    unknown: str = ""
    company: tuple[Workload, ...] = ()
    rows: tuple[Row, ...] = ()

    @classmethod
    def undecided(cls, workload: Workload) -> Judgement:
        """The judgement of a workload when no work is left to judge it."""
        wanted = workload.replicas
        rows = (Row(*ALONE, Verdict.UNDECIDED.value, USED_UP, 0),)
        room = PodRoom(wanted=wanted, placed=wanted, alone=wanted)
        return cls(workload, Verdict.UNDECIDED, room=room, runs=Runs(searched=True), rows=rows)

    @property
    def ends(self) -> bool:
        """Whether its rollout ends, or there is none."""
        return self.verdict in (None, Verdict.COMPLETES)

    @property
    def waits(self) -> bool:
        """Whether its rollout never ends, or may never end."""
        return self.verdict in WAITS

    @property
    def is_of_names(self) -> bool:
        """Whether it contains names: of a run, of a waiting pod, or of other workloads."""
        room, runs = self.room, self.runs
        return any((room.waiting, room.refusal, runs.trace, runs.evicts, runs.eviction, runs.stalls, self.company))


class Together(Value):
    """The result for workloads that roll out at once and can compete.

    Attributes:
        workloads: the workloads of one group that roll out.
        verdict: whether all their rollouts end.
        runs: what runs of them show.
        numbers: the positions of `workloads` among the given transitions.
    """

    workloads: tuple[Workload, ...]
    verdict: Verdict | None
    runs: Runs = Runs()
    numbers: tuple[int, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether they never all end, or may not."""
        return self.verdict in WAITS


T = TypeVar("T", Judgement, Together)


def worst(found: Sequence[Judgement]) -> Judgement:
    """The worst judgement of a workload over several orders; only possible if the orders disagree."""
    chosen = min(found, key=lambda one: (not one.room.is_short, one.room.placed, rank(one.verdict)))
    chosen = at_best_of(chosen, found)
    if chosen.verdict is Verdict.STUCK and any(one.verdict is not Verdict.STUCK for one in found):
        return replace(chosen, verdict=Verdict.MAY_STICK)
    return chosen


def at_best_of(one: Judgement, found: Sequence[Judgement]) -> Judgement:
    """The judgement with how many of its pods run at best, if any of these judgements of its workload may hold.

    An undecided judgement may mean any number.
    """
    undecided = any(other.verdict is Verdict.UNDECIDED for other in found)
    most = one.room.wanted if undecided else max(other.room.placed for other in found)
    if most <= one.room.placed:
        return one
    return with_room(one, at_best=max(most, *(other.room.at_best or 0 for other in found)))


def with_room(judgement: Judgement, **changes: Any) -> Judgement:
    """The judgement with some fields of its room changed."""
    return replace(judgement, room=replace(judgement.room, **changes))


def with_runs(told: T, **changes: Any) -> T:
    """The judgement, or the result of a group, with some fields of its runs changed."""
    return replace(told, runs=replace(told.runs, **changes))


def rank(verdict: Verdict | None) -> int:
    """The position of a verdict between the worst and the best."""
    return (None, Verdict.STUCK, Verdict.UNDECIDED, Verdict.MAY_STICK, Verdict.COMPLETES).index(verdict)


def unbounded(found: Judgement, told: Workload, built: int) -> Judgement:
    """The judgement of a workload of which only `built` pods were simulated, with the numbers of all pods."""
    more = told.replicas - built
    if more <= 0:
        return replace(found, workload=told)

    def counted(one: Waiting) -> Waiting:
        return replace(one, count=one.count + more) if one.owner == told.key and not one.pod else one

    room, trace = found.room, found.runs.trace
    room = replace(
        room,
        wanted=_all(room.wanted, built, told),
        placed=_all(room.placed, built, told),
        alone=_all(room.alone, built, told),
        at_best=None if room.at_best is None else _all(room.at_best, built, told),
        waiting=None if room.waiting is None else counted(room.waiting),
    )
    trace = None if trace is None else replace(trace, waiting=tuple(map(counted, trace.waiting)))
    return with_runs(replace(found, workload=told, room=room), trace=trace)


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
    room = judgement.room
    if not room.is_short:
        return "completes"
    lacks = "lacks room" if room.at_best is None or room.at_best <= room.placed else "may lack room"
    return f"{lacks} ({room.placed} of {room.wanted})"


def row_of(judgement: Judgement, hypothesis: Hypothesis, argument: str = "", steps: int | None = None) -> Row:
    """Return the row of a judgement under a hypothesis."""
    states = judgement.runs.states if steps is None else steps
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
    row = row_of(after, hypothesis, argument, max(0, after.runs.states - before.runs.states))
    return fold(replace(after, rows=before.rows), row)
