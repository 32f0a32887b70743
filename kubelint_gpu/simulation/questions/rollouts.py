"""Whether the rollouts of some workloads end: bounds first, then the search if they do not decide."""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from contextlib import suppress
from typing import NamedTuple

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation import hypotheses
from kubelint_gpu.simulation.growth import Growth
from kubelint_gpu.simulation.hypotheses import Row
from kubelint_gpu.simulation.prepare.standing_pods import may_leave_devices, where_none_come
from kubelint_gpu.simulation.questions.analysis import RolloutAnalysis
from kubelint_gpu.simulation.questions.served_resources import (
    SERVED_BOTH_WAYS,
    served_both_ways,
    with_claims_for_resources,
)
from kubelint_gpu.simulation.search.verdict import (
    Judgement,
    Together,
    Verdict,
    at_best_of,
    fold,
    of_verdict,
    rank,
    row_of,
    turned,
    with_runs,
)
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace
from kubelint_gpu.work import UsedUp


def judge(
    transitions: Sequence[Transition],
    cluster: Cluster,
    *,
    budget: int = BUDGET.states,
    growth: Sequence[Growth] = (),
    only: Collection[int] | None = None,
) -> tuple[Judgement, ...]:
    """Judge each workload's rollout while the others keep running; with `only`, those with some numbers.

    All workloads have their priority resolved, and start with all replicas of the old template. `budget` limits the
    states of each workload. On many nodes a state counts more; all searches together look at no more than a few times
    as many. `growth` are pools that an autoscaler enlarges.
    """
    open_ends = served_both_ways(transitions, cluster, growth)
    found = _judged(_Rollouts(*with_claims_for_resources(transitions, cluster, growth), budget, only))
    return tuple(
        _undecided(one.new) if number in open_ends else _known(replace(found[number], workload=one.new), cluster)
        for number, one in enumerate(transitions)
    )


def _undecided(workload: Workload) -> Judgement:
    """The undecided judgement of devices that are served both as extended resources and by DRA."""
    found = replace(Judgement.undecided(workload), unknown=SERVED_BOTH_WAYS)
    return replace(found, rows=(row_of(found, hypotheses.SERVED_BOTH_WAYS, hypotheses.DECLARED),))


def _known(found: Judgement, cluster: Cluster) -> Judgement:
    """The judgement; undecided if the devices of its claims are unknown and could still stop the rollout.

    A rollout that is stuck wherever its pods are is also stuck on fewer nodes.
    """
    asks = bool(found.workload.spec.resource_claims) and not cluster.devices_known
    if asks and found.verdict in (Verdict.COMPLETES, Verdict.MAY_STICK):
        unknown = "devices that its resource claims ask for"
        told = with_runs(replace(found, verdict=Verdict.UNDECIDED, unknown=unknown), trace=None)
        return turned(found, told, hypotheses.DEVICES_KNOWN, hypotheses.DECLARED)
    return found


class _Rollouts(NamedTuple):
    """The rollouts to judge, their cluster, and the budget of states; `only` selects some of them."""

    transitions: Sequence[Transition]
    cluster: Cluster
    growth: Sequence[Growth]
    budget: int
    only: Container[int] | None = None

    def judged(self, growth: Sequence[Growth] = ()) -> tuple[Judgement, ...]:
        """Judge them; pools only grow if `growth` is given."""
        return RolloutAnalysis(self.transitions, self.cluster, self.budget, growth).judge(self.only)


def _judged(asked: _Rollouts) -> tuple[Judgement, ...]:
    unknown = found = tuple(Judgement.undecided(one.new) for one in asked.transitions)
    try:
        found = asked.judged()
    except UsedUp:
        return found
    if any(one.room.is_short or not one.ends for one in found):
        others, standing = unknown, None
        with suppress(UsedUp):
            standing = where_none_come(asked.transitions, asked.cluster)
            others = found if standing is None else asked._replace(cluster=standing).judged()
        found = tuple(
            _softened(one, other, row_of(other, hypotheses.CLOSED_NODES) if other is not one else None)
            for one, other in zip(found, others, strict=True)
        )
    if any(one.verdict is Verdict.STUCK for one in found) and may_leave_devices(asked.transitions, asked.cluster):
        found = tuple(
            _softened(
                one,
                replace(one, verdict=Verdict.MAY_STICK),
                of_verdict(Verdict.MAY_STICK, hypotheses.DEVICES_LEAVE, hypotheses.DECLARED),
            )
            if one.workload.spec.resource_claims
            else one
            for one in found
        )
    return _grown(found, unknown, asked) if asked.growth else found


def _softened(one: Judgement, other: Judgement, row: Row | None) -> Judgement:
    """The judgement; only possible if `other` differs, which assumes old pods on nodes that take no new ones."""
    one = fold(one, row) if row is not None else one
    if one.verdict is Verdict.STUCK and other.verdict not in (Verdict.STUCK, None):
        return fold(one, weaker=True)
    return at_best_of(one, (one, other)) if one.room.is_short else one


def _grown(found: tuple[Judgement, ...], grown: tuple[Judgement, ...], asked: _Rollouts) -> tuple[Judgement, ...]:
    """The judgements with nodes that pools may add, where these are better; `grown` is the default if work runs out."""
    transitions, cluster, growth, budget, _ = asked
    if all(one.verdict is Verdict.COMPLETES for one in found):
        return found
    with suppress(UsedUp):
        grown = asked.judged(growth)
    found = tuple(map(_better, found, grown))
    ending = [number for number, one in enumerate(found) if one.runs.grows and one.verdict is Verdict.COMPLETES]
    stalling = [number for number in ending if found[number].runs.stalls is None]
    if not stalling:
        return found
    with suppress(UsedUp):
        # the replicas themselves need nodes that join; does the rollout need more of them?
        still = RolloutAnalysis(transitions, cluster, budget, growth, joins=False).judge(stalling)
        found = tuple(
            fold(with_runs(one, stalls=still[number].runs.trace), row_of(still[number], hypotheses.NO_NODE_JOINS))
            if number in stalling
            else one
            for number, one in enumerate(found)
        )
    return found


def judge_together(
    transitions: Sequence[Transition],
    cluster: Cluster,
    *,
    budget: int = BUDGET.states,
    growth: Sequence[Growth] = (),
    ends: str = "",
) -> tuple[Together, ...]:
    """Judge all rollouts that start at the same moment, group by group of workloads that can compete.

    With `ends`, a workload's key, it only judges whether that rollout ends. Groups with fewer than two rollouts are
    left out: `judge` says all about them.
    """
    written, open_ends = transitions, served_both_ways(transitions, cluster, growth)
    transitions, cluster, growth = with_claims_for_resources(transitions, cluster, growth)
    found = RolloutAnalysis(transitions, cluster, budget).judge_together(ends)
    if growth and any(one.verdict is not Verdict.COMPLETES for one in found):
        later = RolloutAnalysis(transitions, cluster, budget, growth).judge_together(ends)
        grown = {one.workloads: one for one in later}
        found = tuple(
            with_runs(grown[one.workloads], grows=True)
            if one.workloads in grown and rank(grown[one.workloads].verdict) > rank(one.verdict)
            else one
            for one in found
        )
    found = tuple(replace(one, workloads=tuple([written[number].new for number in one.numbers])) for one in found)
    return tuple(one if open_ends.isdisjoint(one.numbers) else replace(one, verdict=Verdict.UNDECIDED) for one in found)


def _better(one: Judgement, grown: Judgement) -> Judgement:
    """The judgement with growing pools, if it is better or unknown, or if more nodes give no more room."""
    short = one.verdict is grown.verdict is None and len(grown.room.eligible) > len(one.room.eligible)
    unknown = one.waits and grown.verdict is Verdict.UNDECIDED
    if rank(grown.verdict) > rank(one.verdict) or grown.room.placed > one.room.placed or short or unknown:
        stalls = one.runs.trace if grown.verdict is Verdict.COMPLETES and one.waits else None
        told = with_runs(replace(grown, rows=one.rows), grows=True, stalls=stalls)
        return fold(told, row_of(grown, hypotheses.POOLS_GROWN))
    return fold(one, row_of(grown, hypotheses.POOLS_GROWN)) if grown.rows else one
