"""Judge all workloads of one run, each among those that it competes with."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.simulation.asked_again import asked_once, kept
from kubelint_gpu.simulation.growth import Growth
from kubelint_gpu.simulation.hypotheses import DAEMON_ORDER, DAEMON_ROLLS, ORDERS, PARTS, ROOM_FREED
from kubelint_gpu.simulation.prepare.daemon_pods import standing_daemons
from kubelint_gpu.simulation.prepare.prepared_run import PreparedRun, competing
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, joined, unrolled
from kubelint_gpu.simulation.questions.decide import judge_in
from kubelint_gpu.simulation.questions.pending_pods import beside_queued, queued, together_beside_queued
from kubelint_gpu.simulation.search.situation import Situation, Situations
from kubelint_gpu.simulation.search.verdict import (
    Judgement,
    Runs,
    Together,
    Verdict,
    fold,
    is_decided,
    of_verdict,
    rank,
    row_of,
    unbounded,
    worst,
)
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace
from kubelint_gpu.work import UsedUp, of_group, shared_out


class RolloutAnalysis:
    """Prepares the data shared by all judgements of one run.

    Without `joins`, pools have grown for the replicas before, and no node joins during a rollout.
    """

    def __init__(
        self,
        transitions: Sequence[Transition],
        cluster: Cluster,
        budget: int,
        growth: Sequence[Growth] = (),
        *,
        joins: bool = True,
    ) -> None:
        self._prepared = prepared = PreparedRun(transitions, cluster, growth)
        self._workloads, self.participants = prepared.workloads, prepared.participants
        self._queue = queued(prepared)
        self._standing = standing_daemons(self.participants, prepared.pods, prepared.cluster, prepared.rest)
        self._daemons = self._standing[0]
        self._budgeted = frozenset(one.meta.namespace for one in prepared.cluster.disruption_budgets)
        self._situations = Situations(prepared, budget, joins=joins)

    def judge(self, only: Container[int] | None = None) -> tuple[Judgement, ...]:
        """Judge each workload's rollout while the others keep running; with `only`, just those at these positions.

        DaemonSets that compete are placed in every order, and the worst result counts.
        """
        found = []
        for standing in self._standing:
            self._daemons = standing
            found.append(self._judged(only))
        return tuple([_in_every_order(one) for one in zip(*found, strict=True)])

    def _judged(self, only: Container[int] | None) -> tuple[Judgement, ...]:
        known = any(one.known for one in self.participants)
        # what is left of the DaemonSets stays; those that change do so at the same moment as all others
        playing = [
            number for number, found in enumerate(self.participants) if not found.daemons or (known and found.moves)
        ]
        fixed = [
            *self._prepared.rest,
            *(pod for other, pods in self._daemons.items() if other not in playing for pod in pods),
        ]
        groups = competing(self._prepared, playing, fixed)
        members, players = groups.among(playing), frozenset(playing)

        def root(number: int) -> int:
            return groups.root(number) if number in players else number

        def alike(number: int) -> Hashable:
            if number not in players:
                return number
            group = groups.root(number)
            return group if len(members[group]) > 1 else None, self._sign(number)

        def one(number: int) -> Judgement:
            if number in players:
                return self._among(members[groups.root(number)], number, fixed)
            mine = [pod for other, pods in self._daemons.items() if other not in (*playing, number) for pod in pods]
            apart = [*self._prepared.rest, *mine]
            own = competing(self._prepared, [*playing, number], apart)
            return self._among(own.among([*playing, number])[own.root(number)], number, apart)

        wanted = frozenset(number for number in range(len(self.participants)) if only is None or number in only)
        same = grouped((alike(number), number) for number in sorted(joined(self.participants, wanted))).values()
        asked: dict[int, Judgement | None] = {}
        for mine in grouped((root(number), (number, *others)) for number, *others in same).values():
            firsts = shared_out(one, [first for first, *_ in mine], is_decided)
            asked |= firsts
            apart = [more for first, *others in mine if (told := asked[first]) and told.is_of_names for more in others]
            further = shared_out(one, apart, is_decided)
            asked |= further
        return self._finished(same, asked)

    def _finished(self, same: Iterable[Sequence[int]], asked: Mapping[int, Judgement | None]) -> tuple[Judgement, ...]:
        """The judgements of all workloads; those of one group in `same` have the answer of the first."""
        found = [Judgement(one.new, None) for one in self.participants]
        for first, *others in same:
            for number in (first, *others):
                told = asked.get(number, asked[first])
                new = self.participants[number].new
                found[number] = Judgement.undecided(new) if told is None else replace(told, workload=new)
        parts = [self._with_its_parts(number, found) for number in range(len(found))]
        return tuple(
            unbounded(one, told, built.new.replicas)
            for one, told, built in zip(parts, self._workloads, self.participants, strict=True)
        )

    def _with_its_parts(self, number: int, found: Sequence[Judgement]) -> Judgement:
        """The judgement of a workload that ends no sooner than those that are replaced together with it."""
        mine, parts = found[number], joined(self.participants, frozenset({number}))
        rolled = [found[part] for part in parts if found[part].verdict is not None]
        least = min(rolled, key=lambda one: rank(one.verdict), default=mine)
        if mine.verdict is not Verdict.COMPLETES or least.verdict is Verdict.COMPLETES:
            return mine
        runs = replace(least.runs, states=mine.runs.states)
        return fold(replace(mine, verdict=least.verdict, by=least.by, runs=runs), row_of(least, PARTS))

    def _sign(self, number: int) -> Hashable:
        """A key that is equal for workloads that differ only in their names, and so have equal judgements."""
        one = self.participants[number]
        named = one.running or one.waiting or one.new.claims or one.old.claims or one.new.custom
        # Jobs queue for places, in their order
        if named or one.daemons or one.temporary or one.new.meta.namespace in self._budgeted:
            return number
        both = [(found.kind, found.replicas, found.strategy) for found in (one.new, one.old)]
        flags = (one.old is one.new, one.rolls, one.known, one.existing, one.settled, one.whole)
        return (*both, *flags, self._prepared.alike[number], self._prepared.volumes[number])

    def _among(self, members: Sequence[int], number: int, fixed: Sequence[Pod]) -> Judgement:
        """Judge one of several workloads that compete, beside running pods that stay."""
        situation = self._situations.of(members, fixed, self._daemons)
        place = situation.numbers.index(number)

        def found() -> Judgement:
            return beside_queued(situation, place, judge_in(situation, number), self._queue)

        everybody = situation.participants
        parts = (everybody, situation.fixed)
        # how others would be rolled out does not matter while they stay as they are
        still, decisive = situation.memo.of("decisive", parts, lambda: (_still(everybody), self._decisive(situation)))
        mine = tuple([everybody[part] for part in sorted(joined(everybody, frozenset({place})))])
        sign = ("rollout", mine[0].new.key, place)
        return self._beside_daemons(asked_once(sign, (mine, still, decisive), found, is_decided))

    def _decisive(self, situation: Situation) -> tuple[object, ...]:
        """Everything that decides the judgements of a group, except its workloads."""
        quotas_and_budgets = situation.cluster.quotas, situation.cluster.disruption_budgets
        return (
            situation.budget,
            situation.joins,
            situation.eligible,
            situation.fixed,
            situation.daemons,
            situation.driven,
            self._queue,
            situation.grown,
            quotas_and_budgets,
            replace(situation.cluster, pods=(), quotas=(), disruption_budgets=()),
        )

    def _beside_daemons(self, found: Judgement) -> Judgement:
        """The judgement of a rollout that never ends beside daemon pods; possible only, if a rollout deletes those."""
        if found.verdict is not Verdict.STUCK or found.runs.trace is None:
            return found
        lacks = [lack for one in found.runs.trace.waiting for lack in one.lacks]
        holders = {owner for lack in lacks for owner in lack.owners}
        gives = tuple(
            one.new
            for one in self.participants
            if one.daemons and one.rolling and one.new.key in holders and not one.controller.surge(one.replicas)
        )
        gone = frozenset(one.key for one in gives)
        gives = gives if any(lack.may_leave(gone) for lack in lacks) else ()
        found = replace(found, company=tuple(dict.fromkeys((*found.company, *gives))))
        return fold(found, of_verdict(Verdict.MAY_STICK, DAEMON_ROLLS, ROOM_FREED)) if gives else found

    def judge_together(self, ends: str = "") -> tuple[Together, ...]:
        """Judge all rollouts that begin together, group by group; with `ends`, only that workload's rollout."""
        everybody = range(len(self.participants))
        groups = competing(self._prepared, everybody, self._prepared.rest)
        found = []
        for _, members in sorted(groups.among(everybody).items()):
            rolling = [number for number in members if self.participants[number].rolling]
            if len(rolling) < 2:
                continue
            try:
                with of_group(1, 2):
                    together = self._judged_together(members, ends)
            except UsedUp:
                together = Together((), Verdict.UNDECIDED, Runs(searched=True))
            told = {one.key for one in together.workloads}
            rolling = [number for number in rolling if not told or self.participants[number].new.key in told]
            workloads = tuple(self._workloads[number] for number in rolling)
            found.append(replace(together, workloads=workloads, numbers=tuple(rolling)))
        return tuple(found)

    def _judged_together(self, members: Sequence[int], ends: str) -> Together:
        from kubelint_gpu.simulation.questions import together

        situation = self._situations.of(members, self._prepared.rest, self._daemons)
        rolled = {one.new.key: one for one in situation.participants if one.rolling}
        decisive = (situation.budget, situation.joins, situation.fixed, replace(situation.cluster, pods=()))

        def found() -> Together:
            judged = together.judged_together(situation, ends=ends)
            return together_beside_queued(situation, judged, self._queue, ends)

        # more rollouts at once have all the runs of fewer: what is too much work stays so, and one more rollout, as
        # that of a fix, is not asked about what may go wrong anyway
        told = kept(("not ending together", ends))
        earlier: Together | None = next(
            (one for fewer, of, one in told if of == decisive and fewer.items() <= rolled.items()), None
        )
        if earlier is not None and (earlier.verdict is Verdict.UNDECIDED or not ends):
            return earlier
        sign = ("together", ends, *(one.new.key for one in situation.participants))
        judged = asked_once(sign, (situation.participants, self._decisive(situation)), found, is_decided)
        if judged.verdict not in (None, Verdict.COMPLETES):
            if judged.verdict is not Verdict.UNDECIDED:
                judged = replace(judged, workloads=tuple(one.new for one in rolled.values()))
            told.append((rolled, decisive, judged))
        return judged


def _in_every_order(found: Sequence[Judgement]) -> Judgement:
    """Return the worst judgement of a workload over all orders of DaemonSets, with rows for the others."""
    chosen = worst(found)
    if len(found) < 2:
        return chosen
    return fold(chosen, *(row_of(one, DAEMON_ORDER, ORDERS) for one in found))


def _still(participants: Sequence[WorkloadChange]) -> tuple[WorkloadChange, ...]:
    """The participants; those that do not change lose their update strategy, to compare them."""
    return tuple([one if one.moves else unrolled(one) for one in participants])
