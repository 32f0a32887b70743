"""What a simulation says of rollouts: verdicts with the runs that show them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from kubelint_gpu.kube.objects.quota import QuotaRefusal
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler.framework.facts import Held
from kubelint_gpu.simulation.hypotheses import ALONE, USED_UP, Row
from kubelint_gpu.simulation.search.trace import Evicted, Trace, Waiting
from kubelint_gpu.values import PartlyCompared, Value, replace


class Verdict(str, Enum):
    """Whether every run comes to its end.

    `stuck`: no run can.
    `may-stick`: some run reaches a state from which none can.
    `completes`: from every state that can be reached the end can be reached.
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
    """What becomes of one workload.

    Attributes:
        workload: the workload, as it shall be.
        verdict: whether its rollout ends; None where it has no rollout to end, or cannot run as it shall even without.
        by_bound: whether a closed form decided it; else the search did.
        by: the name of the decider.
        states: how many states the search looked at.
        wanted: pods it wants.
        placed: how many of them can run at once before anything is rolled, beside everything else.
        at_best: how many can where the others are placed as well as can be for it; None where that is not known.
        waiting: what the next one waits for beside everything else, where that is known.
        alone: how many could if only the inventory's running pods were there.
        eligible: the nodes that take its pod when nothing else runs.
        crowded: nodes on which a pod of a DaemonSet finds no room beside what the inventory says is running.
        trace: the shortest run that was found to get stuck; None where none does.
            Of a StatefulSet that lacks room, how it halts.
        evicts: whom some run of the rollout evicts, in the order of how soon; the first run that does is `eviction`.
        eviction: the shortest run that evicts a pod of somebody else; None where none does.
        grows: whether the verdict rests on nodes that an autoscaler may add.
        stalls: where it ends only if such a node joins meanwhile, the shortest run that waits for one.
        fragmented: whether the order in which its pods and others are placed decides if all find room.
        refusal: how a quota keeps it from having all its pods; None where none does.
        unknown: what the verdict could not look at, in words; empty where there is nothing.
        company: where it never ends by itself, the workloads that, rolled at the same moment, may let it end; where
            it is judged beside all that changes at the same moment, those that have changed when the run begins, or
            with which it is undecided.
        by_itself: where that is undecided, whether it ends while everybody else stays as it is.
        rows: what each hypothesis answered on the way to the verdict; two judgements are equal whatever these are.
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
    fragmented: bool = False
    refusal: QuotaRefusal | None = None
    unknown: str = ""
    company: tuple[Workload, ...] = ()
    by_itself: Verdict | None = None
    rows: tuple[Row, ...] = ()

    @classmethod
    def undecided(cls, workload: Workload) -> Judgement:
        """What is said of a workload when no work is left to judge it."""
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
        """The nodes that do not take its next pod though they have all it asks for; none where one lacks that."""
        lacks = self.waiting.lacks if self.waiting is not None and self.placed < self.wanted else ()
        short = any(lack.resource or lack.held == Held.DEVICE.value for lack in lacks)
        return () if short else tuple(sorted({lack.node for lack in lacks}))

    @property
    def is_of_names(self) -> bool:
        """Whether it tells of a run, of a pod that waits, or of other workloads."""
        return any((self.waiting, self.trace, self.evicts, self.eviction, self.stalls, self.refusal, self.company))


class Together(Value):
    """What becomes of workloads that are rolled at once and can compete for something.

    Attributes:
        workloads: those that are rolled, of one group.
        verdict: whether all their rollouts end.
        by_bound: whether a closed form decided it.
        states: how many states the search looked at.
        trace: the shortest run that was found to get stuck.
        evicts: whom some run evicts.
        eviction: the shortest run that evicts a pod of somebody else.
        grows: whether the verdict rests on nodes that an autoscaler may add.
        numbers: the positions of `workloads` among the transitions that were asked about.
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
    """What is said of a workload that fares differently where others come first: the worst, and that it may be so."""
    chosen = min(found, key=lambda one: (one.placed >= one.wanted, one.placed, rank(one.verdict)))
    chosen = replace(chosen, at_best=best_of(chosen, found))
    if chosen.verdict is Verdict.STUCK and any(one.verdict is not Verdict.STUCK for one in found):
        return replace(chosen, verdict=Verdict.MAY_STICK)
    return chosen


def best_of(one: Judgement, found: Sequence[Judgement]) -> int | None:
    """How many of its pods run at best, where some judgements of the same workload may hold as well as this one.

    What is undecided may be anything.
    """
    undecided = any(other.verdict is Verdict.UNDECIDED for other in found)
    most = one.wanted if undecided else max(other.placed for other in found)
    if most <= one.placed:
        return one.at_best
    return max(most, *(other.at_best or 0 for other in found))


def rank(verdict: Verdict | None) -> int:
    """Where a verdict stands between the worst and the best."""
    return (None, Verdict.STUCK, Verdict.UNDECIDED, Verdict.MAY_STICK, Verdict.COMPLETES).index(verdict)


def unbounded(found: Judgement, told: Workload, built: int) -> Judgement:
    """The judgement of a workload of which only so many pods were `built`, with the numbers of all of them."""
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
    """A number of pods; all that were built stand for all."""
    return number if number < built else told.replicas


def is_decided(told: Judgement | Together) -> bool:
    """Return whether the work sufficed for a verdict."""
    return told.verdict is not Verdict.UNDECIDED
