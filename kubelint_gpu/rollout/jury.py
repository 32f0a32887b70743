"""One group of workloads that can compete for something, and what becomes of their rollouts."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.cluster import Cluster
from kubelint_gpu.kube.pod import Pod
from kubelint_gpu.kube.rolling import DaemonSetStrategy
from kubelint_gpu.rollout.cast import cast, has_ordinal_claims
from kubelint_gpu.rollout.daemon_set import resolve
from kubelint_gpu.rollout.explorer import Exploration, Verdict, explore
from kubelint_gpu.rollout.growth import Grown
from kubelint_gpu.rollout.judgement import Judgement, Together
from kubelint_gpu.rollout.locality import local_kinds
from kubelint_gpu.rollout.participant import Participant, created_pod, identity, is_temporary
from kubelint_gpu.rollout.places import Overlooked
from kubelint_gpu.rollout.replay import replay
from kubelint_gpu.rollout.room import Demand, Residual, takes
from kubelint_gpu.rollout.scene import Scene, build_scene
from kubelint_gpu.rollout.slots import Slots, group_slots, own_slots
from kubelint_gpu.rollout.starts import Starts, one_placement, placements
from kubelint_gpu.rollout.state import State, canonical
from kubelint_gpu.rollout.trace import Evicted, Trace
from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.values import dataclass, replace

_MOST_RETRIES = 20
_FEW_NODES = 16
_LEAST_STATES = 500


@dataclass(frozen=True, slots=True)
class Bench:
    """What a jury judges by.

    `numbers` are the numbers of the participants among all; `fixed` are running pods of nobody among them, `residual`
    what these leave of each node, `daemons` which of them (by identity) are of other workloads of the same run.
    """

    cluster: Cluster
    empty: Snapshot
    participants: tuple[Participant, ...]
    numbers: tuple[int, ...]
    eligible: tuple[frozenset[str], ...]
    demands: tuple[Demand, ...]
    fixed: tuple[Pod, ...]
    residual: Residual
    daemons: frozenset[int]
    budget: int
    grown: Grown | None = None


@dataclass(frozen=True, slots=True)
class _Search:
    """What a search of one scene found."""

    starts: Starts
    verdict: Verdict | None
    states: int
    trace: Trace | None = None
    evicts: tuple[Evicted, ...] = ()
    eviction: Trace | None = None


class Jury:
    """Judges the workloads of one group."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._outsiders = self._temporary_holders()

    def judge(self, number: int, *, roomy: bool, rests: bool) -> Judgement:
        """The judgement of the participant with this number.

        `roomy` says that its pods always find room; `rests` that they do once nothing terminates any more.
        """
        bench = self._bench
        position = bench.numbers.index(number)
        participant = bench.participants[position]
        wanted, rolling = participant.replicas, participant.rolling
        eligible = bench.eligible[position]
        blank = Judgement(participant.new, None, wanted=wanted, placed=wanted, alone=wanted, eligible=eligible)
        if not wanted and not participant.before:
            return blank
        if not eligible:
            return replace(blank, placed=0, alone=0)
        if roomy:
            return _known(replace(blank, verdict=Verdict.COMPLETES if rolling else None), participant)
        if rests and not self._may_evict(position):
            return _known(replace(blank, verdict=Verdict.COMPLETES if rolling else None), participant)
        return _known(self._decided(position, blank, rests=rests), participant)

    def judge_together(self, *, rests: bool) -> Together:
        """What becomes of all rollouts of the group when they start at the same moment."""
        participants = self._bench.participants
        rolling = frozenset(place for place, found in enumerate(participants) if found.rolling)
        workloads = tuple(participants[place].new for place in sorted(rolling))
        if rests and not any(self._may_evict(place) for place in rolling):
            return Together(workloads, Verdict.COMPLETES)
        if any(self._alone(place).placed < participants[place].replicas for place in rolling):
            return Together(workloads, None)
        found = self._searched(rolling, ())
        verdict = found.verdict
        if verdict is Verdict.UNDECIDED and rests:
            verdict = Verdict.COMPLETES
        return Together(workloads, verdict, False, found.states, found.trace, found.evicts, found.eviction)

    def _decided(self, position: int, blank: Judgement, *, rests: bool) -> Judgement:
        bench = self._bench
        participant = bench.participants[position]
        if participant.daemons and not self._is_charged(position):
            known = self._by_node(position, blank)
            if known is not None:
                return known
        elif not self._outsiders and not self._may_evict(position):
            slots = self._slots(position)
            if slots is not None:
                return self._by_slots(position, slots, blank)
        alone = self._alone(position)
        if alone.placed < blank.wanted:
            return replace(blank, placed=alone.placed, alone=alone.placed, refusal=alone.refusal)
        rolling = frozenset({position}) if participant.rolling else frozenset[int]()
        found = self._searched(rolling, self._kinds_of(position))
        starts = found.starts
        placed = sum(starts.least[kind] for kind in self._kinds_of(position, rolling))
        blank = replace(
            blank,
            by_bound=False,
            states=found.states,
            placed=min(placed, blank.wanted) if not starts.full else blank.wanted,
            fragmented=starts.fragmented,
        )
        if found.verdict is None or not participant.rolling:
            return blank
        verdict = found.verdict
        if verdict is Verdict.UNDECIDED and rests:
            verdict = Verdict.COMPLETES
        return replace(
            blank,
            verdict=verdict,
            placed=blank.wanted,
            trace=found.trace,
            evicts=found.evicts,
            eviction=found.eviction,
        )

    def _slots(self, position: int) -> Slots | None:
        bench = self._bench
        if bench.grown is None:
            found = group_slots(bench.participants, bench.demands, position, bench.residual)
            if found is not None:
                return found
        if len(bench.participants) > 1 or has_ordinal_claims(bench.participants[0].new, bench.cluster):
            return None
        return own_slots(bench.participants[0], self._scene(frozenset(), ()))

    def _by_node(self, position: int, blank: Judgement) -> Judgement | None:
        """A DaemonSet: what its controller wants, and where nobody competes, node by node, whether it ends."""
        bench = self._bench
        participant = bench.participants[position]
        old, new = created_pod(participant.old, "old"), created_pod(participant.new, "new")
        standing = Snapshot.of(replace(bench.cluster, pods=bench.fixed))
        room = frozenset(fit(new, standing).fits) & frozenset(participant.nodes)
        if len(room) < len(participant.nodes):
            return replace(blank, placed=len(room), alone=len(room))
        if not participant.rolling:
            return blank
        strategy = participant.new.strategy
        local = all(local_kinds((old, new), bench.fixed, bench.cluster.nodes))
        if len(bench.participants) > 1 or self._outsiders or not local or self._may_evict(position):
            return None
        assert isinstance(strategy, DaemonSetStrategy)  # noqa: S101 - asked by the caller
        if not resolve(strategy, len(room)).surge:
            return replace(blank, verdict=Verdict.COMPLETES)
        full = Snapshot.of(
            replace(bench.cluster, pods=(*bench.fixed, *(_placed(old, name) for name in participant.nodes)))
        )
        beside = frozenset(fit(new, full).fits)
        blocked = sorted(room - beside)
        if not blocked:
            return replace(blank, verdict=Verdict.COMPLETES)
        # one node that blocks is enough to tell of
        one = replace(participant, nodes=(blocked[0],))
        scene = self._staged((one,), frozenset({0}), (), bench.fixed)
        start = one_placement(scene)
        if start is None:
            return replace(blank, verdict=Verdict.STUCK)
        found = explore([start], scene.model.successors, scene.model.done, bench.budget)
        trace = self._replayed(scene, found.path) if found.path else None
        return replace(blank, verdict=Verdict.STUCK, states=found.states, trace=trace)

    def _is_charged(self, position: int) -> bool:
        participant = self._bench.participants[position]
        pods = (created_pod(participant.old, "old"), created_pod(participant.new, "new"))
        return any(quota.covers(pod) for quota in self._bench.cluster.quotas for pod in pods)

    def _by_slots(self, position: int, slots: Slots, blank: Judgement) -> Judgement:
        participant = self._bench.participants[position]
        mine = max(0, slots.total - slots.others)
        if mine < blank.wanted:
            return replace(blank, placed=mine, alone=min(slots.total, blank.wanted))
        if not participant.rolling:
            return blank
        if mine >= slots.needed:
            return replace(blank, verdict=Verdict.COMPLETES)
        scene = self._scene(frozenset({position}), ())
        start = one_placement(scene)
        if start is None:
            return replace(blank, verdict=Verdict.STUCK)
        found = explore([start], scene.model.successors, scene.model.done, self._bench.budget)
        trace = self._replayed(scene, found.path) if found.path else None
        return replace(blank, verdict=Verdict.STUCK, states=found.states, trace=trace)

    def _searched(self, rolling: frozenset[int], mine: Sequence[int]) -> _Search:
        """Search; pods that turn out to be evicted although they were taken to stay are put in play, and again."""
        extra: list[Pod] = []
        for _ in range(_MOST_RETRIES):
            try:
                return self._search(self._scene(rolling, extra), mine)
            except Overlooked as overlooked:
                extra += self._like(overlooked.pods, extra)
        scene = self._scene(rolling, extra)
        return _Search(Starts((), (), scene.cast.wanted, scene.cast.wanted, 0, False, False), Verdict.UNDECIDED, 0)

    def _search(self, scene: Scene, mine: Sequence[int]) -> _Search:
        budget = _states(self._bench.budget, scene)
        starts = placements(scene, budget)
        states = starts.full
        if not states:
            # others wait for ever for a place of their own; that is not a reason to say nothing of this one
            states = starts.partial if mine and all(starts.least[one] == scene.cast.wanted[one] for one in mine) else ()
        if not states:
            return _Search(starts, None if starts.complete else Verdict.UNDECIDED, starts.looked_at)
        first: dict[str, State] = {}
        model = scene.model
        if any(kind.priority > other.priority for kind in scene.cast.kinds for other in scene.cast.kinds):

            def successors(state: State) -> Sequence[State]:
                for step, _ in model.steps(state):
                    if step.act == "preempt":
                        for victim, _ in step.victims:
                            owner = scene.cast.kinds[victim].owner
                            if owner != scene.cast.kinds[step.kind].owner:
                                first.setdefault(owner, state)
                return model.successors(state)

        else:
            successors = model.successors
        found = explore(states, successors, model.done, budget)
        trace = self._replayed(scene, found.path) if found.path else None
        evicts, eviction = self._evictions(scene, found, first)
        looked_at = starts.looked_at + found.states
        return _Search(starts, _cut(found.verdict, starts), looked_at, trace, evicts, eviction)

    def _evictions(
        self, scene: Scene, found: Exploration[State], first: dict[str, State]
    ) -> tuple[tuple[Evicted, ...], Trace | None]:
        """Whom runs evict, each by the shortest run that does."""
        shortest: Trace | None = None
        every: list[Evicted] = []
        for owner, state in first.items():
            following = next(
                after
                for step, after in scene.model.steps(state)
                if step.act == "preempt" and any(scene.cast.kinds[victim].owner == owner for victim, _ in step.victims)
            )
            path = (*found.path_to(state), _canonical(scene, following))
            trace = self._replayed(scene, path, ends=False)
            shortest = shortest or trace
            every += [one for one in trace.evictions if one.owner == owner and one not in every]
        return tuple(every), shortest

    def _scene(self, rolling: frozenset[int], extra: Sequence[Pod]) -> Scene:
        bench = self._bench
        in_play = [*self._outsiders, *extra]
        return self._staged(bench.participants, rolling, in_play, bench.fixed)

    def _staged(
        self,
        participants: Sequence[Participant],
        rolling: frozenset[int],
        in_play: Sequence[Pod],
        standing: Sequence[Pod],
    ) -> Scene:
        bench = self._bench
        gone = {id(pod) for pod in in_play}
        fixed = [pod for pod in standing if id(pod) not in gone]
        found = cast(participants, rolling, in_play, bench.cluster)
        return replace(build_scene(bench.cluster, found, fixed, bench.empty, bench.grown), in_play=frozenset(gone))

    def _replayed(self, scene: Scene, path: Sequence[State], *, ends: bool = True) -> Trace:
        fixed = tuple(pod for pod in self._bench.fixed if id(pod) not in scene.in_play)
        return replay(scene, path, replace(self._bench.cluster, pods=fixed), ends=ends)

    def _may_evict(self, position: int) -> bool:
        """Whether pods of the participant could evict somebody who holds what it wants."""
        bench = self._bench
        mine = bench.participants[position].new.spec
        if mine.preemption_policy == "Never":
            return False
        priority = mine.priority or 0
        demand = bench.demands[position]
        for place, other in enumerate(bench.participants):
            if (other.old.spec.priority or 0) < priority and not demand.nodes.isdisjoint(bench.demands[place].nodes):
                return True
        return any(
            (pod.spec.priority or 0) < priority
            and pod.spec.node_name in demand.nodes
            and any(name in demand.each for name in takes(pod) if name != "pods")
            for pod in bench.fixed
        )

    def _temporary_holders(self) -> list[Pod]:
        """Running pods that end some day and hold something that the group wants."""
        bench = self._bench
        near = frozenset().union(*(demand.nodes for demand in bench.demands))
        wanted = {name for demand in bench.demands for name in demand.each if name != "pods"}
        return [
            pod
            for pod in bench.fixed
            if pod.spec.node_name in near and is_temporary(pod) and (wanted.intersection(takes(pod)) or not wanted)
        ]

    def _like(self, pods: Sequence[Pod], extra: Sequence[Pod]) -> list[Pod]:
        """These pods and all that are like them, which would be found next."""
        same = {identity(pod) for pod in pods}
        known = {id(pod) for pod in extra}
        return [pod for pod in self._bench.fixed if id(pod) not in known and identity(pod) in same]

    def _alone(self, position: int) -> _Alone:
        """How many pods of the workload fit beside the inventory's running pods only."""
        bench = self._bench
        participant = bench.participants[position]
        wanted = participant.replicas
        # as it shall be: what it was before does not help where the new pods have no room
        fresh = replace(participant, old=participant.new, running=())
        rolled = frozenset({0}) if participant.daemons else frozenset[int]()
        alone = [pod for pod in bench.fixed if id(pod) not in bench.daemons]
        solo = self._staged((fresh,), rolled, self._outsiders, alone)
        kind = solo.cast.members[0][0]
        simple = solo.local and not solo.places.is_charged(kind) and not solo.absent and not participant.daemons
        if simple and not any(solo.cast.kinds[kind].pod.spec.volumes):
            return _Alone(solo.places.capacity(kind, wanted))
        if one_placement(solo) is not None:
            return _Alone(wanted)
        starts = placements(solo, bench.budget)
        if starts.full or not starts.complete:
            return _Alone(wanted)
        state = starts.partial[0]
        return _Alone(starts.placed[kind], solo.places.refusal(kind, state) or "")

    def _kinds_of(self, position: int, rolling: frozenset[int] = frozenset()) -> tuple[int, ...]:
        return self._scene(rolling or frozenset({position}), ()).cast.members[position]


@dataclass(frozen=True, slots=True)
class _Alone:
    placed: int
    refusal: str = ""


def _known(found: Judgement, participant: Participant) -> Judgement:
    """The judgement, held back where something was not looked at that could still stop the rollout."""
    if participant.new.spec.resource_claims and found.verdict is Verdict.COMPLETES:
        return replace(found, verdict=Verdict.UNDECIDED, unknown="devices that its resource claims ask for")
    return found


def _states(budget: int, scene: Scene) -> int:
    """The budget of one search: a state of many nodes costs as much as several of few."""
    return max(min(budget, _LEAST_STATES), budget * _FEW_NODES // max(_FEW_NODES, len(scene.places.names)))


def _cut(verdict: Verdict, starts: Starts) -> Verdict:
    """What a search from some of the placements proves of all of them."""
    if starts.complete:
        return verdict
    return {Verdict.STUCK: Verdict.MAY_STICK, Verdict.COMPLETES: Verdict.UNDECIDED}.get(verdict, verdict)


def _canonical(scene: Scene, state: State) -> State:
    return canonical(state, scene.places.classes)


def _placed(pod: Pod, node: str) -> Pod:
    return replace(pod, meta=replace(pod.meta, name=f"{pod.meta.name}-{node}"), spec=replace(pod.spec, node_name=node))
