"""One group of workloads that can compete for something, and what becomes of their rollouts."""

from __future__ import annotations

from kubelint_gpu.kube.pod import Pod
from kubelint_gpu.kube.rolling import DaemonSetStrategy, StatefulSetStrategy
from kubelint_gpu.rollout import change_set
from kubelint_gpu.rollout.at_rest import never_rest
from kubelint_gpu.rollout.cast import has_ordinal_claims
from kubelint_gpu.rollout.change_set import always_ends, by_shares, movers, without
from kubelint_gpu.rollout.company import company
from kubelint_gpu.rollout.daemon_set import resolve
from kubelint_gpu.rollout.exchange import finds_its_own_places
from kubelint_gpu.rollout.explorer import Verdict
from kubelint_gpu.rollout.judgement import Judgement, Together
from kubelint_gpu.rollout.locality import local_kinds
from kubelint_gpu.rollout.participant import Participant, created_pod
from kubelint_gpu.rollout.preemptions import Overlooked
from kubelint_gpu.rollout.room import contended, takes
from kubelint_gpu.rollout.search import Bench, Search
from kubelint_gpu.rollout.shortfall import fit_alone, fit_at_last, leans, settled, short_of, stronger
from kubelint_gpu.rollout.slots import Shares, Slots, group_shares, group_slots, own_slots
from kubelint_gpu.rollout.starts import one_placement
from kubelint_gpu.rollout.stateful_set import has_max_unavailable
from kubelint_gpu.rollout.trace import Trace
from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.values import replace


class Jury:
    """Judges the workloads of one group."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._search = Search(bench)

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
            # those that keep the template that they have: with OnDelete, and the ordinals below a partition
            stay = max(participant.undisturbed, participant.kept) if bench.demands[position].nodes else 0
            ends = rolling and stay >= wanted
            return replace(blank, verdict=Verdict.COMPLETES if ends else None, placed=stay, alone=stay)
        if not participant.existing and any(one.known and one.moves for one in bench.participants):
            # what is rolled out later finds the others as they are then
            return Jury(replace(bench, participants=tuple(map(settled, bench.participants)))).judge(
                number, roomy=roomy, rests=rests
            )
        if roomy:
            return _known(replace(blank, verdict=Verdict.COMPLETES if rolling else None), participant)
        if rests and not self._may_evict(position):
            return _known(replace(blank, verdict=Verdict.COMPLETES if rolling else None), participant)
        at_once = participant.known and bool(movers(bench, position))
        scaled = participant.known and participant.before != participant.replicas
        counts = (at_once or scaled) and not participant.resumes
        shares = self._shares(position) if counts else None
        counted = by_shares(bench, self._search, position, shares, blank) if shares is not None else None
        if counted is not None:
            return _known(counted, participant)
        if counts and self._is_peaceful() and always_ends(bench, position):
            return _known(replace(blank, verdict=Verdict.COMPLETES), participant)
        found = self._though_jobs_wait(position, self._while_others_stay(position, blank, rests=rests))
        alike = found.verdict is Verdict.STUCK and not participant.daemons and self._slots(position) is not None
        if at_once and found.verdict is not None:
            found = change_set.at_once(
                bench, self._search, position, found, _while_others_stay, peaceful=self._is_peaceful()
            )
        elif at_once and not participant.rolling and found.placed < found.wanted:
            found = change_set.seated(bench, self._search, position, found)
        elif found.verdict is Verdict.STUCK:
            others = company(bench, self._search, position, alike=alike)
            found = replace(found, company=tuple(bench.participants[place].new for place in others))
        return _known(found, participant)

    def judge_together(self, *, rests: bool, ends: str = "") -> Together:
        """What becomes of all rollouts of the group when they start at the same moment; with `ends` of one of them."""
        participants = self._bench.participants
        rolling = frozenset(place for place, found in enumerate(participants) if found.rolling)
        workloads = tuple(participants[place].new for place in sorted(rolling))
        if rests and not any(self._may_evict(place) for place in rolling):
            return Together(workloads, Verdict.COMPLETES)
        if self._all_end(rolling):
            return Together(workloads, Verdict.COMPLETES)
        if not all(self._stands_alone(place) for place in rolling):
            return Together(workloads, None)
        if self._never_rests(rolling):
            return Together(workloads, Verdict.COMPLETES)
        scaling = frozenset(place for place, one in enumerate(participants) if one.moves) - rolling
        found = self._search.searched(rolling, (), scaling, ends)
        verdict = found.verdict
        if verdict is Verdict.UNDECIDED and rests:
            verdict = Verdict.COMPLETES
        return Together(workloads, verdict, False, found.states, found.trace, found.evicts, found.eviction)

    def _stands_alone(self, place: int) -> bool:
        """Whether all its pods find room where no other workload of the group is."""
        participant = self._bench.participants[place]
        replicas = participant.replicas
        if not self._bench.eligible[place]:
            return replicas <= max(participant.undisturbed, participant.kept)
        return fit_alone(self._bench, self._search, place).placed >= replicas

    def _all_end(self, rolling: frozenset[int]) -> bool:
        """Whether a bound says of each of these rollouts that it ends, all begun at the same moment."""
        every = tuple(
            replace(one, known=True) if place in rolling else one for place, one in enumerate(self._bench.participants)
        )
        jury = Jury(replace(self._bench, participants=every))
        return all(jury.ends_in_any_order(place) for place in rolling)

    def ends_in_any_order(self, position: int) -> bool:
        """Whether a bound says that its rollout ends whatever is rolled at the same moment."""
        if self._bench.participants[position].resumes:
            return False
        shares = self._shares(position)
        if shares is not None:
            return shares.total >= shares.most + shares.needed
        return self._is_peaceful() and always_ends(self._bench, position)

    def _while_others_stay(self, position: int, blank: Judgement, *, rests: bool) -> Judgement:
        """What becomes of it while nothing else changes; DaemonSets that are new have no pods yet."""
        participants = self._bench.participants
        coming = frozenset(place for place, one in enumerate(participants) if one.daemons and not one.existing)
        if not coming or position in coming:
            return self._decided(position, blank, rests=rests)
        jury = Jury(without(self._bench, coming))
        return jury._decided(position - sum(place < position for place in coming), blank, rests=rests)

    def _though_jobs_wait(self, position: int, found: Judgement) -> Judgement:
        """The same; what waits only for Jobs that are not whole yet may be through before they have their pods."""
        jobs = frozenset(place for place, one in enumerate(self._bench.participants) if one.whole and place != position)
        if not jobs or found.verdict is not Verdict.STUCK:
            return found
        before = Jury(without(self._bench, jobs)).by_itself(position - sum(place < position for place in jobs))
        return found if before.verdict is Verdict.STUCK else replace(found, verdict=Verdict.MAY_STICK)

    def by_itself(self, position: int) -> Judgement:
        """What the rollout of a workload comes to while all others stay as they are, without any bound for it."""
        participant = self._bench.participants[position]
        wanted, eligible = participant.replicas, self._bench.eligible[position]
        blank = Judgement(participant.new, None, wanted=wanted, placed=wanted, alone=wanted, eligible=eligible)
        return self._decided(position, blank, rests=False)

    def _decided(self, position: int, blank: Judgement, *, rests: bool) -> Judgement:
        bench = self._bench
        participant = bench.participants[position]
        if participant.daemons and not self._is_charged(position):
            known = self._by_node(position, blank)
            if known is not None:
                return known
        elif not self._search.outsiders and not self._may_evict(position):
            slots = self._slots(position)
            if slots is not None:
                return self._by_slots(position, slots, blank)
        alone = fit_alone(bench, self._search, position)
        if alone.placed < blank.wanted:
            short = replace(blank, placed=alone.placed, alone=alone.placed, waiting=alone.waiting)
            return replace(short, refusal=alone.refusal, trace=self._halt(position))
        rolling = frozenset({position}) if participant.rolling else frozenset[int]()
        if participant.old is not participant.new and not self._may_evict(position, itself=False):
            last = fit_at_last(bench, self._search, position)
            if last.placed < blank.wanted:
                return replace(
                    blank, placed=last.placed, at_best=last.placed, refusal=last.refusal, waiting=last.waiting
                )
        if participant.rolling and (self._exchanges(position) or self._never_rests(frozenset({position}))):
            return replace(blank, verdict=Verdict.COMPLETES)
        found = self._search.searched(rolling, self._kinds_of(position, rolling))
        starts = found.starts
        placed = sum(starts.least[kind] for kind in self._kinds_of(position, rolling))
        blank = replace(
            blank,
            by_bound=False,
            states=found.states,
            placed=min(placed, blank.wanted) if not starts.full else blank.wanted,
            fragmented=starts.fragmented,
        )
        if blank.placed < blank.wanted and starts.complete:
            one = short_of(self._search, found.scene, starts, self._kinds_of(position, rolling), participant.new.key)
            blank = replace(blank, at_best=one.placed, refusal=one.refusal, waiting=one.waiting)
        if found.verdict is None or not participant.rolling:
            return blank
        verdict = found.verdict
        if verdict is Verdict.UNDECIDED and rests:
            verdict = Verdict.COMPLETES
        return replace(
            blank,
            verdict=verdict,
            placed=blank.wanted,
            at_best=None,
            refusal="",
            waiting=None,
            trace=found.trace,
            evicts=found.evicts,
            eviction=found.eviction,
        )

    def _exchanges(self, position: int) -> bool:
        """Whether its pods need no place but those that they leave themselves."""
        bench = self._bench
        participant = bench.participants[position]
        leaves_first = isinstance(participant.new.strategy, (StatefulSetStrategy, DaemonSetStrategy))
        if participant.resumes:
            return False
        if self._search.outsiders or (not leaves_first and self._may_evict(position)):
            return False
        scene = self._search.scene(frozenset({position}), ())
        gate = has_max_unavailable(bench.cluster.version)
        return finds_its_own_places(participant, scene, position, gate=gate)

    def _never_rests(self, rolling: frozenset[int]) -> bool:
        """Whether these rollouts never wait for good, and all pods find room before they begin."""
        if self._search.outsiders or any(self._may_evict(place) for place in rolling):
            return False
        return never_rest(self._bench, rolling) and one_placement(self._search.scene(rolling, ())) is not None

    def _slots(self, position: int) -> Slots | None:
        bench = self._bench
        if bench.participants[position].resumes:
            return None
        if bench.grown is None:
            found = group_slots(bench.participants, bench.demands, position, bench.residual)
            if found is not None:
                return found
        if len(bench.participants) > 1 or has_ordinal_claims(bench.participants[0].new, bench.cluster):
            return None
        return own_slots(bench.participants[0], self._search.scene(frozenset(), ()))

    def _shares(self, position: int) -> Shares | None:
        """The same while everything that is known to change in the group changes at the same moment."""
        bench = self._bench
        if bench.grown is not None or self._search.outsiders or not bench.participants[position].existing:
            return None
        if has_ordinal_claims(bench.participants[position].new, bench.cluster) or not self._is_peaceful():
            return None
        return group_shares(bench.participants, bench.demands, position, bench.residual)

    def _is_peaceful(self) -> bool:
        """Whether no pod of the group could ever evict another one, or one that runs beside them."""
        bench = self._bench
        specs = [spec for one in bench.participants for spec in (one.old.spec, one.new.spec)]
        able = [spec.priority or 0 for spec in specs if spec.preemption_policy != "Never"]
        near = frozenset().union(*(demand.nodes for demand in bench.demands))
        others = [pod.spec.priority or 0 for pod in bench.fixed if pod.spec.node_name in near]
        lowest = min([*(spec.priority or 0 for spec in specs), *others])
        return not able or max(able) <= lowest

    def _by_node(self, position: int, blank: Judgement) -> Judgement | None:
        """A DaemonSet: what its controller wants, and where nobody competes, node by node, whether it ends."""
        bench = self._bench
        participant = bench.participants[position]
        if leans(bench, position):
            return None
        old, new = created_pod(participant.old, "old"), created_pod(participant.new, "new")
        standing = Snapshot.of(replace(bench.cluster, pods=tuple(stronger(bench, participant))))
        room = frozenset(fit(new, standing).fits) & frozenset(participant.nodes)
        if participant.undisturbed:
            room |= frozenset(participant.standing) & frozenset(participant.nodes)
        short = len(room) < len(participant.nodes)
        if short:
            others = tuple(pod for pod in standing.cluster.pods if id(pod) not in bench.daemons)
            alone = fit(new, Snapshot.of(replace(bench.cluster, pods=others)))
            blank = replace(
                blank,
                placed=len(room),
                alone=len(frozenset(alone.fits) & frozenset(participant.nodes)),
                crowded=frozenset(participant.nodes) - room,
            )
        if not participant.rolling:
            return blank
        strategy = participant.new.strategy
        local = all(local_kinds((old, new), bench.fixed, bench.cluster.nodes))
        if len(bench.participants) > 1 or self._search.outsiders or not local or self._may_evict(position):
            return blank if short else None
        assert isinstance(strategy, DaemonSetStrategy)  # noqa: S101 - asked by the caller
        surge = resolve(strategy, len(participant.nodes)).surge
        if not surge or not room:
            return blank if short else replace(blank, verdict=Verdict.COMPLETES)
        full = Snapshot.of(
            replace(bench.cluster, pods=(*bench.fixed, *(_placed(old, name) for name in participant.standing)))
        )
        beside = frozenset(fit(new, full).fits)
        blocked = sorted(room - beside)
        if not blocked and (short or participant.stays):
            return blank if short else None
        if not blocked:
            return replace(blank, verdict=Verdict.COMPLETES)
        # one node that blocks is enough to tell of
        one = replace(participant, nodes=(blocked[0],), left=(), stays=(), fresh=())
        scene = self._search.staged((one,), frozenset({0}), (), bench.fixed)
        states, trace = self._search.stuck_run(scene)
        return replace(blank, verdict=Verdict.STUCK, states=states, trace=trace)

    def _halt(self, position: int) -> Trace | None:
        """How a StatefulSet that makes its pods one after the other comes to the one that finds no node.

        What runs now, or the old template's pods, are there already; else it begins with none.
        """
        participants = list(self._bench.participants)
        one = participants[position]
        strategy = one.new.strategy
        if not isinstance(strategy, StatefulSetStrategy) or strategy.parallel or strategy.on_delete:
            return None
        if one.old is one.new:
            participants[position] = replace(one, old=replace(one.old, replicas=0))
        scene = self._search.staged(participants, frozenset({position}), self._search.outsiders, self._bench.fixed)
        try:
            return self._search.stuck_run(scene)[1]
        except Overlooked:
            return None

    def _is_charged(self, position: int) -> bool:
        participant = self._bench.participants[position]
        pods = (created_pod(participant.old, "old"), created_pod(participant.new, "new"))
        return any(quota.covers(pod) for quota in self._bench.cluster.quotas for pod in pods)

    def _by_slots(self, position: int, slots: Slots, blank: Judgement) -> Judgement:
        participant = self._bench.participants[position]
        mine = max(0, slots.total - slots.others)
        if mine < blank.wanted:
            short = replace(blank, placed=mine, alone=fit_alone(self._bench, self._search, position).placed)
            return replace(short, trace=self._halt(position))
        if not participant.rolling:
            return blank
        if mine >= slots.needed:
            return replace(blank, verdict=Verdict.COMPLETES)
        scene = self._search.scene(frozenset({position}), ())
        states, trace = self._search.stuck_run(scene)
        return replace(blank, verdict=Verdict.STUCK, states=states, trace=trace)

    def _may_evict(self, position: int, *, itself: bool = True) -> bool:
        """Whether pods of the participant could evict somebody who holds what it wants and may lack.

        Old pods of its own may be among them, unless it is not asked for `itself`.
        """
        bench = self._bench
        mine = bench.participants[position].new.spec
        if mine.preemption_policy == "Never":
            return False
        priority = mine.priority or 0
        nodes = bench.demands[position].nodes
        lower = [place for place, other in enumerate(bench.participants) if (other.old.spec.priority or 0) < priority]
        lower = [place for place in lower if itself or place != position]
        if any(not nodes.isdisjoint(bench.demands[place].nodes) for place in lower):
            return True
        below = [pod for pod in bench.fixed if pod.spec.node_name in nodes and (pod.spec.priority or 0) < priority]
        if not below or not bench.demands[position].simple:
            return bool(below)
        scarce = contended(bench.demands, bench.residual)[position]
        return any((pod.spec.node_name, name) in scarce for pod in below for name in takes(pod))

    def _kinds_of(self, position: int, rolling: frozenset[int] | None = None) -> tuple[int, ...]:
        """The kinds of a participant in the scene where it is rolled, or where `rolling` are."""
        return self._search.scene(frozenset({position}) if rolling is None else rolling, ()).cast.members[position]


def _while_others_stay(bench: Bench, position: int) -> Judgement:
    return Jury(bench).by_itself(position)


def _known(found: Judgement, participant: Participant) -> Judgement:
    """The judgement, held back where something was not looked at that could still stop the rollout, or the run that
    gets stuck: what sticks wherever the pods are does so with fewer nodes, too.
    """
    if participant.new.spec.resource_claims and found.verdict in (Verdict.COMPLETES, Verdict.MAY_STICK):
        return replace(found, verdict=Verdict.UNDECIDED, unknown="devices that its resource claims ask for", trace=None)
    return found


def _placed(pod: Pod, node: str) -> Pod:
    return replace(pod, meta=replace(pod.meta, name=f"{pod.meta.name}-{node}"), spec=replace(pod.spec, node_name=node))
