"""Rollouts that may stick: one run starts with other pods crowded on the nodes that the new pods need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.change_set import changing
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.model.preemptions import UnmodelledVictim
from kubelint_gpu.simulation.search.crowded_placement import Crowd, crowded, homes_of
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import replace


def decide(question: Question) -> Judgement | None:
    """May stick, if a run sticks that starts with all other pods on some nodes, for example those of one zone.

    The scheduler could have placed them so. Pods that cannot be preempted are put there first.
    """
    participant, position, search = question.participant, question.position, question.search
    if not participant.rolling or participant.daemons or len(question.situation.participants) < 2:
        return None
    if participant.known and changing(question.situation, position):
        # what others give up meanwhile may be what it needs
        return None
    homes = _homes(search)
    at_home = frozenset(name for names in homes.values() for name in names)
    for nodes, early in islice(_targets(question), SIMULATION.crowded_starts):
        simulation = search.simulated(
            question.situation.participants,
            frozenset({position}),
            search.outsiders,
            question.situation.fixed,
            few=1 if homes else None,
            kept=nodes | at_home,
        )
        mine = frozenset(simulation.pod_types.members[position])
        weak = frozenset(
            kind
            for kind, one in enumerate(simulation.pod_types.kinds)
            if preconditions.gives_way(one.pod.spec, participant.new.spec) and kind not in mine
        )
        start = crowded(simulation, Crowd(nodes, mine, weak, early=early, homes=homes))
        if start is not None:
            try:
                runs = search.stuck_from(simulation, start, participant.new.key)
            except UnmodelledVictim:
                return None
            if runs.trace is not None:
                return replace(question.blank, verdict=Verdict.MAY_STICK, runs=replace(runs, searched=True))
    return None


def _homes(search: GroupSearch) -> Mapping[Pod, Sequence[str]]:
    """A node for each pod in one placement before any rollout; empty if no placement is found."""
    at_rest = search.simulation(frozenset(), ())
    state = preconditions.placement_at_rest(search)
    return search.situation.memo.of("homes", (at_rest,), lambda: homes_of(at_rest, state) if state is not None else {})


def _targets(question: Question) -> Iterator[tuple[frozenset[str], bool]]:
    """The nodes to crowd, and whether the workload's own pods are placed before the others.

    If its old and new pods use one claim, the unnamed node of the old pod is first: then the new pod is bound elsewhere
    and waits for the claim. Then each topology domain that constraints of a new pod name. Last, all nodes that take the
    pod, with its own pods placed first.
    """
    eligible, spec = question.situation.eligible[question.position], question.participant.new.spec
    if claim_keys(question.participant.new) & claim_keys(question.participant.old):
        yield frozenset(), True
    keys = [one.topology_key for one in spec.spread if one.do_not_schedule]
    keys += [term.topology_key for term in spec.pod_anti_affinity]
    for key in dict.fromkeys(keys):
        domains = question.situation.empty.values(key)
        if len(domains) < len(eligible):
            parts = (eligible & frozenset(names) for names in domains.values())
            yield from ((one, False) for one in sorted(parts, key=lambda one: (len(one), sorted(one))))
    yield eligible, True
