"""All rollouts of one group, begun at the same moment."""

from __future__ import annotations

from kubelint_gpu.simulation.bounds.change_set import always_ends
from kubelint_gpu.simulation.bounds.counting import shares_of
from kubelint_gpu.simulation.bounds.preconditions import is_peaceful, may_evict
from kubelint_gpu.simulation.bounds.quiescence import leaves_no_pod_pending
from kubelint_gpu.simulation.bounds.shortfall import fit_alone
from kubelint_gpu.simulation.search.engine import GroupSearch, Situation
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.verdict import Together
from kubelint_gpu.values import replace


def judged_together(bench: Situation, *, rests: bool, ends: str = "") -> Together:
    """What becomes of all rollouts of the group when they start at the same moment; with `ends` of one of them.

    `rests` says that the pods of each find room once nothing terminates any more.
    No verdict where the pods of one find too little room even where no other workload of the group is.
    """
    search = GroupSearch(bench)
    participants = bench.participants
    rolling = frozenset(place for place, found in enumerate(participants) if found.rolling)
    workloads = tuple(participants[place].new for place in sorted(rolling))
    if rests and not any(may_evict(bench, place) for place in rolling):
        return Together(workloads, Verdict.COMPLETES)
    if _all_end(bench, rolling):
        return Together(workloads, Verdict.COMPLETES)
    if not all(_stands_alone(bench, search, place) for place in rolling):
        return Together(workloads, None)
    if leaves_no_pod_pending(bench, search, rolling):
        return Together(workloads, Verdict.COMPLETES)
    scaling = frozenset(place for place, one in enumerate(participants) if one.moves) - rolling
    found = search.searched(rolling, (), scaling, ends)
    verdict = found.verdict
    if verdict is Verdict.UNDECIDED and rests:
        verdict = Verdict.COMPLETES
    return Together(workloads, verdict, False, found.states, found.trace, found.evicts, found.eviction)


def _stands_alone(bench: Situation, search: GroupSearch, place: int) -> bool:
    """Whether all its pods find room where no other workload of the group is."""
    participant = bench.participants[place]
    if not bench.eligible[place] and participant.replicas > max(participant.undisturbed, participant.kept):
        return False
    return fit_alone(bench, search, place).placed >= participant.replicas


def _all_end(bench: Situation, rolling: frozenset[int]) -> bool:
    """Whether a bound says of each of these rollouts that it ends, all begun at the same moment."""
    every = tuple(replace(one, known=True) if place in rolling else one for place, one in enumerate(bench.participants))
    bench = replace(bench, participants=every)
    search = GroupSearch(bench)
    return all(_ends_in_any_order(bench, search, place) for place in rolling)


def _ends_in_any_order(bench: Situation, search: GroupSearch, position: int) -> bool:
    """Whether a bound says that its rollout ends whatever is rolled at the same moment."""
    if bench.participants[position].resumes:
        return False
    shares = shares_of(bench, search, position)
    if shares is not None:
        return shares.total >= shares.most + shares.needed
    return is_peaceful(bench) and always_ends(bench, position)
