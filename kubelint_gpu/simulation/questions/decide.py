"""One group of workloads that can compete for something, and what becomes of the rollout of one of them.

Counting and bounds come first; the search decides what they leave open.
"""

from __future__ import annotations

from kubelint_gpu.simulation.bounds import change_set
from kubelint_gpu.simulation.bounds.change_set import always_ends, by_shares, changing, without
from kubelint_gpu.simulation.bounds.counting import by_slots, shares_of, slots_of
from kubelint_gpu.simulation.bounds.in_place_replacement import replaces_in_place
from kubelint_gpu.simulation.bounds.per_node import by_node
from kubelint_gpu.simulation.bounds.preconditions import is_crowded, is_peaceful, may_evict
from kubelint_gpu.simulation.bounds.quiescence import leaves_no_pod_pending
from kubelint_gpu.simulation.bounds.shortfall import after_rollout, fit_alone, fit_at_last, halt, short_of
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange
from kubelint_gpu.simulation.questions.helped_by import helped_by
from kubelint_gpu.simulation.search.engine import GroupSearch, Situation
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import replace


class Deciders:
    """Judges the workloads of one group."""

    def __init__(self, bench: Situation) -> None:
        self._bench = bench
        self._search = GroupSearch(bench)

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
        # those that keep the template that they have: with OnDelete, and the ordinals below a partition
        stay = max(participant.undisturbed, participant.kept) if bench.demands[position].nodes else 0
        if not eligible and not (rolling and stay >= wanted):
            return replace(blank, placed=stay, alone=stay)
        if not participant.existing and any(one.known and one.moves for one in bench.participants):
            # what is rolled out later finds the others as they are then
            return Deciders(replace(bench, participants=tuple(map(after_rollout, bench.participants)))).judge(
                number, roomy=roomy, rests=rests
            )
        if roomy:
            return _known(replace(blank, verdict=Verdict.COMPLETES if rolling else None), participant)
        if rests and not may_evict(bench, position):
            return _known(replace(blank, verdict=Verdict.COMPLETES if rolling else None), participant)
        at_once = participant.known and bool(changing(bench, position))
        scaled = participant.known and participant.before != participant.replicas
        counts = (at_once or scaled) and not participant.resumes
        shares = shares_of(bench, self._search, position) if counts else None
        counted = by_shares(bench, self._search, position, shares, blank) if shares is not None else None
        if counted is not None:
            return _known(counted, participant)
        if counts and is_peaceful(bench) and always_ends(bench, position):
            return _known(replace(blank, verdict=Verdict.COMPLETES), participant)
        found = self._though_jobs_wait(position, self._while_others_stay(position, blank, rests=rests))
        alike = (
            found.verdict is Verdict.STUCK
            and not participant.daemons
            and slots_of(bench, self._search, position) is not None
        )
        if at_once and found.verdict is not None:
            found = change_set.at_once(
                bench, self._search, position, found, _while_others_stay, peaceful=is_peaceful(bench)
            )
        elif at_once and not participant.rolling and found.placed < found.wanted:
            found = change_set.all_placed(bench, self._search, position, found)
        elif found.verdict is Verdict.STUCK:
            others = helped_by(bench, self._search, position, alike=alike)
            found = replace(found, company=tuple(bench.participants[place].new for place in others))
        return _known(found, participant)

    def _while_others_stay(self, position: int, blank: Judgement, *, rests: bool) -> Judgement:
        """What becomes of it while nothing else changes; DaemonSets that are new have no pods yet."""
        participants = self._bench.participants
        coming = frozenset(place for place, one in enumerate(participants) if one.daemons and not one.existing)
        if not coming or position in coming:
            return self._decided(position, blank, rests=rests)
        jury = Deciders(without(self._bench, coming))
        return jury._decided(position - sum(place < position for place in coming), blank, rests=rests)

    def _though_jobs_wait(self, position: int, found: Judgement) -> Judgement:
        """The same; what waits only for Jobs that are not whole yet may be through before they have their pods."""
        jobs = frozenset(place for place, one in enumerate(self._bench.participants) if one.whole and place != position)
        if not jobs or found.verdict is not Verdict.STUCK:
            return found
        before = Deciders(without(self._bench, jobs)).by_itself(position - sum(place < position for place in jobs))
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
        if participant.daemons:
            known = by_node(bench, self._search, position, blank)
            if known is not None:
                return known
        elif not self._search.outsiders and not may_evict(bench, position) and not is_crowded(bench, position):
            slots = slots_of(bench, self._search, position)
            if slots is not None:
                return by_slots(bench, self._search, position, slots, blank)
        alone = fit_alone(bench, self._search, position)
        if alone.placed < blank.wanted:
            short = replace(blank, placed=alone.placed, alone=alone.placed, waiting=alone.waiting)
            return replace(short, refusal=alone.refusal, trace=halt(bench, self._search, position))
        rolling = frozenset({position}) if participant.rolling else frozenset[int]()
        if participant.old is not participant.new and not may_evict(bench, position, itself=False):
            last = fit_at_last(bench, self._search, position)
            if last.placed < blank.wanted:
                return replace(
                    blank, placed=last.placed, at_best=last.placed, refusal=last.refusal, waiting=last.waiting
                )
        if participant.rolling and (
            self._exchanges(position) or leaves_no_pod_pending(bench, self._search, frozenset({position}))
        ):
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
        leaves_first = not participant.controller.has_replica_sets
        if participant.resumes or is_crowded(bench, position):
            return False
        if self._search.outsiders or (not leaves_first and may_evict(bench, position)):
            return False
        scene = self._search.scene(frozenset({position}), ())
        return replaces_in_place(participant, scene, position, bench.cluster.version)

    def _kinds_of(self, position: int, rolling: frozenset[int] | None = None) -> tuple[int, ...]:
        """The kinds of a participant in the scene where it is rolled, or where `rolling` are."""
        return self._search.scene(frozenset({position}) if rolling is None else rolling, ()).cast.members[position]


def _while_others_stay(bench: Situation, position: int) -> Judgement:
    return Deciders(bench).by_itself(position)


def _known(found: Judgement, participant: WorkloadChange) -> Judgement:
    """The judgement, held back where something was not looked at that could still stop the rollout, or the run that
    gets stuck: what sticks wherever the pods are does so with fewer nodes, too.
    """
    if participant.new.spec.resource_claims and found.verdict in (Verdict.COMPLETES, Verdict.MAY_STICK):
        return replace(found, verdict=Verdict.UNDECIDED, unknown="devices that its resource claims ask for", trace=None)
    return found
