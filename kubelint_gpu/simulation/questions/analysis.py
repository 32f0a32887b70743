"""All workloads of one run, what they demand, and who competes with whom."""

from __future__ import annotations

from collections.abc import Container, Sequence

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.relations import asks, meet, meet_on_a_node, refusers
from kubelint_gpu.simulation.growth import Grown, Growth, possible_nodes
from kubelint_gpu.simulation.prepare.bounded import bounded
from kubelint_gpu.simulation.prepare.daemon_pods import standing_daemons
from kubelint_gpu.simulation.prepare.demand import (
    Demand,
    Groups,
    Residual,
    contended,
    join_contenders,
    takes,
)
from kubelint_gpu.simulation.prepare.displaced import concerns, displaced
from kubelint_gpu.simulation.prepare.disruption_budgets import with_counted_budgets
from kubelint_gpu.simulation.prepare.locality import eligible_nodes
from kubelint_gpu.simulation.prepare.participants import participants_of
from kubelint_gpu.simulation.prepare.quotas import with_unknown_use
from kubelint_gpu.simulation.prepare.shared_claims import without_shared_claims
from kubelint_gpu.simulation.prepare.template_claims import open_classes, with_template_claims
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import anonymous, created_pod
from kubelint_gpu.simulation.questions.decide import judge_in
from kubelint_gpu.simulation.questions.pending_pods import beside_queued, queued, together_beside_queued
from kubelint_gpu.simulation.questions.together import judged_together
from kubelint_gpu.simulation.questions.unbounded import unbounded
from kubelint_gpu.simulation.search.engine import Situation
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.verdict import Judgement, Together, undecided, worst
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace
from kubelint_gpu.work import UsedUp, part, shared_out

_DAEMONS_ON_A_NODE = 4
"""More pods of a DaemonSet than can be on one node at once: old and new ones, each terminating or not."""


class RolloutAnalysis:
    """Prepares what all judgements of one run share.

    Without `joins` pools have grown for the replicas, and no node joins any more while something is rolled.
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
        users = [
            (one.meta.namespace, one.spec) for transition in transitions for one in (transition.old, transition.new)
        ]
        cluster = with_bound_claims(with_template_claims(cluster, transitions), users)
        self._workloads = tuple(one.new for one in transitions)
        transitions, cluster = without_shared_claims(transitions, cluster)
        enough = sum(2 * one.new.replicas + one.old.replicas + 1 for one in transitions)
        grown = possible_nodes(growth, enough)
        nodes = (*cluster.nodes, *(grown.nodes if grown is not None else ()))
        transitions = [bounded(one, cluster, nodes) for one in transitions]
        self.participants, rest = participants_of(transitions, cluster)
        cluster = with_counted_budgets(cluster, self.participants, rest)
        cluster = with_unknown_use(cluster, self.participants)
        self._cluster = cluster
        self._empty = Snapshot.of(replace(cluster, pods=()))
        everywhere = self._empty
        if grown is not None:
            everywhere = Snapshot.of(replace(cluster, nodes=(*cluster.nodes, *grown.nodes), pods=()))
        self.pods = [(created_pod(found.old, "old"), created_pod(found.new, "new")) for found in self.participants]
        self._others = [*rest, *(pod for pods in self.pods for pod in pods)]
        self._others += [pod for found in self.participants for pod in found.running]
        known: dict[object, frozenset[str]] = {}
        self.eligible: list[frozenset[str]] = []
        for found, (_, new) in zip(self.participants, self.pods, strict=True):
            key = (new.meta.namespace, new.meta.labels, new.spec)
            if key not in known:
                known[key] = eligible_nodes(new, everywhere, self._others)
            self.eligible.append(known[key] & frozenset(found.nodes) if found.daemons else known[key])
        self._queue = queued(cluster, self._workloads, lambda pod: eligible_nodes(pod, everywhere, self._others))
        self._standing = standing_daemons(self.participants, self.pods, cluster, rest)
        self._daemons = self._standing[0]
        self._rest = rest
        self._volumes = [open_classes(one.new, cluster) for one in self.participants]
        self._grown = grown
        self._joins = joins
        self._budget = budget
        self._left = BUDGET.searches * budget
        every = (*cluster.nodes, *(grown.nodes if grown is not None else ()))
        self._allocatable = {node.name: node.allocatable for node in every}
        self._benches: dict[tuple[int, ...], dict[tuple[int, ...], tuple[Situation, Residual | None]]] = {}
        self.demands = [self._demand(number, everywhere) for number in range(len(self.participants))]
        self._driven = displaced(
            self.participants,
            self.demands,
            rest,
            _residual(cluster, rest, grown),
            lambda pod: eligible_nodes(pod, everywhere, self._others),
        )

    def judge(self, only: Container[int] | None = None) -> tuple[Judgement, ...]:
        """Each workload's rollout while the others keep running; of some it is not asked where `only` names others.

        DaemonSets that compete are placed in every order, and the worst counts.
        """
        found = []
        for standing in self._standing:
            self._daemons = standing
            found.append(self._judged(only))
        return tuple(map(worst, zip(*found, strict=True)))

    def _judged(self, only: Container[int] | None) -> tuple[Judgement, ...]:
        known = any(one.known for one in self.participants)
        # what stays of the DaemonSets is scenery; those that change do so at the same moment as all others
        playing = [
            number for number, found in enumerate(self.participants) if not found.daemons or (known and found.moves)
        ]
        fixed = [*self._rest, *(pod for other, pods in self._daemons.items() if other not in playing for pod in pods)]
        groups = self._groups(playing, fixed)
        members = groups.among(playing)
        residual = _residual(self._cluster, fixed, self._grown)

        def one(number: int) -> Judgement:
            if number in playing:
                return self._among(members[groups.root(number)], number, fixed, residual)
            mine = [pod for other, pods in self._daemons.items() if other not in (*playing, number) for pod in pods]
            apart = [*self._rest, *mine]
            own = self._groups([*playing, number], apart)
            return self._among(own.among([*playing, number])[own.root(number)], number, apart)

        asked = [number for number in range(len(self.participants)) if only is None or number in only]
        found = [Judgement(one.new, None) for one in self.participants]
        for number, judgement in shared_out(one, asked).items():
            told = undecided(self.participants[number].new) if judgement is None else judgement
            found[number] = self._counted(told)
        return tuple(
            unbounded(one, told, built.new.replicas)
            for one, told, built in zip(found, self._workloads, self.participants, strict=True)
        )

    def _among(
        self, members: Sequence[int], number: int, fixed: Sequence[Pod], residual: Residual | None = None
    ) -> Judgement:
        """The judgement of one of some workloads that compete, beside running pods that stay."""
        bench = self._bench(members, fixed, residual)
        found = self._beside_queue(bench, judge_in(bench, number), number)
        return self._beside_daemons(found)

    def _beside_daemons(self, found: Judgement) -> Judgement:
        """The judgement of a rollout that never ends while daemon pods stay; one that is rolled gives its pod away."""
        if found.verdict is not Verdict.STUCK or found.trace is None:
            return found
        holders = {owner for one in found.trace.waiting for lack in one.lacks for owner in lack.owners}
        gives = tuple(
            one.new
            for one in self.participants
            if one.daemons and one.rolling and one.new.key in holders and not one.controller.surge(one.replicas)
        )
        return replace(found, company=(*found.company, *gives))

    def _beside_queue(self, bench: Situation, found: Judgement, number: int) -> Judgement:
        return beside_queued(bench, bench.numbers.index(number), found, self._queue) if self._queue else found

    def _counted(self, found: Judgement) -> Judgement:
        """The judgement, its states taken off what all together may look at."""
        self._left -= found.states
        return found

    def judge_together(self, ends: str = "") -> tuple[Together, ...]:
        """All rollouts at once, group by group; with `ends` it is asked of this workload alone whether its own ends."""
        everybody = range(len(self.participants))
        groups = self._groups(everybody, self._rest)
        found = []
        for leader in sorted({groups.root(number) for number in everybody}):
            members = [number for number in everybody if groups.root(number) == leader]
            rolling = [number for number in members if self.participants[number].rolling]
            if len(rolling) < 2:
                continue
            try:
                with part(1, 2):
                    together = self._judged_together(members, ends)
            except UsedUp:
                together = Together((), Verdict.UNDECIDED, by_bound=False)
            self._left -= together.states
            workloads = tuple(self._workloads[number] for number in rolling)
            found.append(replace(together, workloads=workloads, numbers=tuple(rolling)))
        return tuple(found)

    def _judged_together(self, members: Sequence[int], ends: str) -> Together:
        residual = _residual(self._cluster, self._rest, self._grown)
        bench = self._bench(members, self._rest, residual)
        together = judged_together(bench, ends=ends)
        return together_beside_queued(bench, together, self._queue, ends) if self._queue else together

    def _bench(self, members: Sequence[int], fixed: Sequence[Pod], residual: Residual | None = None) -> Situation:
        """Some workloads with what is left for them of the budget; what was worked out for the same ones is there."""
        left = max(BUDGET.least_states, min(self._budget, self._left))
        parts = (*map(id, fixed), id(residual))
        known = self._benches.setdefault(tuple(members), {})
        if parts not in known:
            known[parts] = self._made(members, fixed, residual), residual
        return replace(known[parts][0], budget=left)

    def _made(self, members: Sequence[int], fixed: Sequence[Pod], residual: Residual | None) -> Situation:
        return Situation(
            self._cluster,
            self._empty,
            tuple(self.participants[number] for number in members),
            tuple(members),
            tuple(self.eligible[number] for number in members),
            tuple(self.demands[number] for number in members),
            tuple(fixed),
            _residual(self._cluster, fixed, self._grown) if residual is None else residual,
            frozenset(pod.identifier for pods in self._daemons.values() for pod in pods),
            self._budget,
            self._grown,
            self._joins,
            driven=tuple(self._driven[number] for number in members),
        )

    def _groups(self, numbers: Sequence[int], fixed: Sequence[Pod]) -> Groups:
        """Workloads that can compete for something, or look at each other, are in one group."""
        groups = Groups(len(self.participants))
        residual = _residual(self._cluster, fixed, self._grown)
        demands = [self.demands[number] for number in numbers]
        scarce = contended(demands, residual, self._allocatable)
        among = Groups(len(numbers))
        join_contenders(among, scarce)
        for place, number in enumerate(numbers):
            groups.join(number, numbers[among.root(place)])
        marked = [number for number in numbers if self._is_marked(number)]
        for one in marked:
            for other in numbers:
                if other != one and self._meet(one, other):
                    groups.join(one, other)
        for one in numbers:
            gone = self._driven[one]
            for place, other in enumerate(numbers if gone else ()):
                apart = groups.root(one) != groups.root(other)
                if apart and concerns(gone, self.participants[other], place, demands, residual):
                    groups.join(one, other)
        return groups

    def _is_marked(self, number: int) -> bool:
        """Whether something other than the resources of a node can make the workload meet another."""
        if self._volumes[number]:
            return True
        return any(asks(pod) or any(quota.covers(pod) for quota in self._cluster.quotas) for pod in self.pods[number])

    def _meet(self, one: int, other: int) -> bool:
        if self._volumes[one] & self._volumes[other]:
            return True
        near = not self.demands[one].nodes.isdisjoint(self.demands[other].nodes)
        for mine in self.pods[one]:
            for theirs in self.pods[other]:
                if meet(mine, theirs) or (near and meet_on_a_node(mine, theirs)):
                    return True
                if any(quota.covers(mine) and quota.covers(theirs) for quota in self._cluster.quotas):
                    return True
        return False

    def _demand(self, number: int, everywhere: Snapshot) -> Demand:
        participant = self.participants[number]
        controller, (old, new) = participant.controller, self.pods[number]
        before, after = participant.before, participant.replicas
        # the two pods of a node are no surplus: when nothing moves any more, it has one
        surge = 0 if participant.daemons else controller.surge(after)
        waits_first = participant.daemons or not controller.keeps_until_ready(after)
        lacking = int(waits_first and (participant.rolling or controller.has_replica_sets))
        unequal = before != after
        amounts = [takes(old), takes(new), *(takes(pod) for pod in (*participant.running, *participant.waiting))]
        each: dict[str, int] = {}
        for one in amounts:
            for name, amount in one.items():
                each[name] = max(amount, each.get(name, 0))
        least = {name: min(one.get(name, 0) for one in amounts) for name in each}
        mine = self.eligible[number]
        before_at = mine
        if participant.old is not participant.new:
            before_at = eligible_nodes(old, everywhere, self._others)
        nodes = mine | before_at | {pod.spec.node_name for pod in participant.running}
        for pod in participant.waiting:
            nodes |= eligible_nodes(anonymous(pod), everywhere, self._others)
        waits = len(participant.waiting)
        whole = max(before, after) + (surge if unequal else 0) + waits
        return Demand(
            nodes=nodes,
            each=FrozenMap(each),
            most=2 * before + after + surge + waits,
            rest=whole if unequal else max(0, after - lacking) + waits,
            whole=whole,
            simple=nodes == mine == before_at and not participant.daemons and self._is_simple(number),
            least=FrozenMap(least),
            on_each=_DAEMONS_ON_A_NODE if participant.daemons else None,
        )

    def _is_simple(self, number: int) -> bool:
        """Whether nothing but resources can keep its pods off a node, or keep them from being made."""
        if self.participants[number].controller.has_own_claims(self._cluster):
            return False
        others = [one for place, pods in enumerate(self.pods) if place != number for one in pods]
        refused = refusers((*others, *self._rest))
        return not any(
            asks(pod) or refused(pod) or any(quota.covers(pod) for quota in self._cluster.quotas)
            for pod in self.pods[number]
        )


def _residual(cluster: Cluster, fixed: Sequence[Pod], grown: Grown | None) -> dict[str, dict[str, int]]:
    residual = {node.name: dict(node.allocatable) for node in cluster.nodes}
    for pod in fixed:
        free = residual.get(pod.spec.node_name)
        if free is not None:
            for name, amount in takes(pod).items():
                free[name] = free.get(name, 0) - amount
    for node in grown.nodes if grown is not None else ():
        # nodes that may or may not come give room to nobody for certain
        residual[node.name] = dict.fromkeys(node.allocatable, 0)
    return residual
