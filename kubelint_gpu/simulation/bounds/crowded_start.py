"""Rollouts that may stick: one start in which others crowd the nodes that the new pods need shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.change_set import changing
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.model.preemptions import UnmodelledVictim
from kubelint_gpu.simulation.search.crowded_placement import Crowd, crowded, homes_of
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import replace


def decide(question: Question) -> Judgement | None:
    """It may stick if a run sticks that begins with all others crowded on the nodes of one topology domain.

    The scheduler could have placed them so. Only the pods that give way to nobody are pushed there first.
    """
    participant, position, search = question.participant, question.position, question.search
    if not participant.rolling or participant.daemons or len(question.situation.participants) < 2:
        return None
    if participant.known and changing(question.situation, position):
        # what others give up meanwhile may be what it needs
        return None
    simulation = search.simulation(frozenset({position}), ())
    mine = frozenset(simulation.pod_types.members[position])
    new = participant.new.spec
    weak = frozenset(
        kind
        for kind, one in enumerate(simulation.pod_types.kinds)
        if preconditions.gives_way(one.pod.spec, new) and kind not in mine
    )
    homes = _homes(search)
    for nodes in islice(_targets(question), SIMULATION.crowded_starts):
        # those that can be nowhere else have their places before the others come
        early = nodes == question.situation.eligible[position]
        start = crowded(simulation, Crowd(nodes, mine, weak, early=early, homes=homes))
        if start is not None:
            try:
                states, trace = search.stuck_from(simulation, start, participant.new.key)
            except UnmodelledVictim:
                return None
            if trace is not None:
                return replace(question.blank, verdict=Verdict.MAY_STICK, by_bound=False, states=states, trace=trace)
    return None


def _homes(search: GroupSearch) -> Mapping[Pod, Sequence[str]]:
    """Nodes for all pods, those of one placement before anything is rolled; none if no such placement is found."""
    at_rest = search.simulation(frozenset(), ())
    state = preconditions.placement_at_rest(search)
    return search.situation.memo.of("homes", (at_rest,), lambda: homes_of(at_rest, state) if state is not None else {})


def _targets(question: Question) -> Iterator[frozenset[str]]:
    """The nodes that new pods can go to, by each topology domain that their constraints name; all of them at last."""
    eligible, spec = question.situation.eligible[question.position], question.participant.new.spec
    keys = [one.topology_key for one in spec.spread if one.do_not_schedule]
    keys += [term.topology_key for term in spec.pod_anti_affinity]
    for key in dict.fromkeys(keys):
        domains = question.situation.empty.values(key)
        if len(domains) < len(eligible):
            yield from sorted(
                (eligible & frozenset(names) for names in domains.values()), key=lambda one: (len(one), sorted(one))
            )
    yield eligible
