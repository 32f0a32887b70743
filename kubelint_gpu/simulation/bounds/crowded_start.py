"""Starts in which others crowd some nodes, and rollouts of which one run that begins so shows that they may stick."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

from kubelint_gpu.budget import SIMULATION, STEPS
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.change_set import changing
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.controllers.rollout_state import READY, State
from kubelint_gpu.simulation.model.preemptions import UnmodelledVictim
from kubelint_gpu.simulation.model.simulation import Simulation, placed_on
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.placements import sizes_of
from kubelint_gpu.simulation.search.placing_pods import by_turns, created, known, missing, placed_one_more
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import Value, replace
from kubelint_gpu.work import charge


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


class Crowd(Value):
    """The order and the targets of pods in a crowded placement.

    Attributes:
        nodes: the names of the crowded nodes; if empty, those on which `mine` are placed.
        mine: the kinds that must find no room there.
        weak: the kinds that are not pushed there, because `mine` preempt them.
        first: the kinds that are placed before all others.
        early: whether `mine` are placed before the others.
        homes: by pod, nodes for the pods that find no room on the crowded nodes.
    """

    nodes: frozenset[str]
    mine: frozenset[int] = frozenset()
    weak: frozenset[int] = frozenset()
    first: frozenset[int] = frozenset()
    early: bool = False
    homes: Mapping[Pod, Sequence[str]] = {}


def homes_of(simulation: Simulation, state: State) -> dict[Pod, list[str]]:
    """By pod, the nodes on which pods of that kind run in a state."""
    found: dict[Pod, list[str]] = {}
    for name, content in zip(simulation.places.names, state.nodes, strict=True):
        for kind, phase, count in content:
            if phase == READY:
                found.setdefault(simulation.pod_types.kinds[kind].pod, []).extend([name] * count)
    return found


def crowded(simulation: Simulation, crowd: Crowd) -> State | None:
    """A start in which others crowd some nodes, as far as they fit there; None if some pods find no place."""
    each = len(simulation.pod_types.kinds) + 1
    last = 3 * each if crowd.early else -1
    sizes = [
        last if kind in crowd.mine else size + each * (0 if kind in crowd.weak else 2 if kind in crowd.first else 1)
        for kind, size in enumerate(sizes_of(simulation))
    ]
    order = by_turns(simulation, sizes)
    plain = frozenset(kind for kind in order if _is_plain(simulation, kind))
    late = {kind for kind in crowd.weak if not simulation.pod_types.kinds[kind].pinned}
    # those that may wait come last, as in any placement
    late |= simulation.pod_types.optional
    late.update(() if crowd.early else crowd.mine)
    state = _one_by_one(simulation, known(simulation), order, crowd, {*plain, *late})
    if not crowd.nodes:
        contents = zip(simulation.places.names, state.nodes, strict=True)
        crowd = replace(
            crowd, nodes=frozenset(name for name, here in contents if any(one[0] in crowd.mine for one in here))
        )
    state = _Plain(simulation, crowd, state).placed([kind for kind in order if kind in plain], state)
    state = _one_by_one(simulation, state, order, crowd, set())
    if all(kind in simulation.pod_types.optional for kind, _ in missing(state)):
        return created(simulation, state)
    return None


def _one_by_one(simulation: Simulation, state: State, order: Sequence[int], crowd: Crowd, hopeless: set[int]) -> State:
    """The state after all pods that find room are placed, without the `hopeless` kinds."""
    wanted = frozenset(index for index, name in enumerate(simulation.places.names) if name in crowd.nodes)
    while options := list(placed_one_more(simulation, state, order, hopeless=hopeless)):
        before = state
        # the fullest of these nodes first, so that little is left of each
        state = min(options, key=lambda after: _crowds(before, after, wanted))
    return state


def _crowds(before: State, after: State, wanted: AbstractSet[int]) -> tuple[bool, int]:
    pairs = enumerate(zip(before.nodes, after.nodes, strict=True))
    index = next((index for index, (one, other) in pairs if one != other), -1)
    return index not in wanted, -sum(count for _, _, count in before.nodes[index]) if index >= 0 else 0


def _is_plain(simulation: Simulation, kind: int) -> bool:
    """Whether a pod of a kind needs only a node that takes it, and exists from the start."""
    one, types = simulation.pod_types.kinds[kind], simulation.pod_types
    if one.pinned or one.whole or one.has_claims or one.pod.spec.volumes or kind in types.optional:
        return False
    return not simulation.places.is_charged(kind) and types.sure[kind] >= types.wanted[kind]


class _Plain:
    """Places pods that need only a node, directly on the first node that takes them."""

    def __init__(self, simulation: Simulation, crowd: Crowd, state: State) -> None:
        self._simulation, self._crowd = simulation, crowd
        index = {name: index for index, name in enumerate(simulation.places.names)}
        self._watched = [kind for kind in sorted(crowd.mine) if simulation.places.local[kind]]
        homes = [crowd.homes.get(kind.pod, ()) for kind in simulation.pod_types.kinds]
        self._homes = [[index[name] for name in names if name in index] for names in homes]
        self._at_home = Counter((kind, index) for kind, names in enumerate(self._homes) for index in names)
        wanted = sorted(index[name] for name in crowd.nodes if name in index)
        # those that still take one of `mine` come first
        self._targets = sorted(wanted, key=lambda index: not self._is_open(index, state))
        self._others = {index for index in range(len(state.nodes)) if self._has_others(index, state)}

    def placed(self, kinds: Sequence[int], state: State) -> State:
        """The state with those pods of the kinds that find room on the crowded nodes or on their home nodes."""
        for kind in kinds:
            homes = iter(self._homes[kind])
            pushed = kind not in self._crowd.weak and kind not in self._crowd.mine
            while state.waiting[kind]:
                found = self._on_first(kind, self._targets, state) if pushed else None
                pushed = found is not None
                found = found or self._on_first(kind, homes, state)
                if found is None:
                    break
                state = found
        return self._simulation.places.canonical(state)

    def _on_first(self, kind: int, nodes: Iterable[int], state: State) -> State | None:
        """The state with one more pod on the first of some nodes that takes it; None if none does."""
        places = self._simulation.places
        taking = None if places.local[kind] else frozenset(places.fitting(kind, state))
        for tried, index in enumerate(nodes):
            charge(tried % STEPS.asked_nodes == 0)
            if not (self._fits(kind, index, state) if taking is None else index in taking):
                continue
            after = next(placed_on(self._simulation, kind, index, state, READY), None)
            if after is not None:
                if index in self._targets and not self._is_open(index, after):
                    self._targets.remove(index)
                    self._targets.append(index)
                if self._has_others(index, after):
                    self._others.add(index)
                return after
        return None

    def _fits(self, kind: int, index: int, state: State) -> bool:
        """Whether a node takes a pod of a kind. At home it does if only pods are there that are at home.

        Fewer pods never remove a place, unless a pod must be near others.
        """
        if index not in self._others and self._at_home[kind, index]:
            there = sum(count for other, _, count in state.nodes[index] if other == kind)
            near = self._simulation.pod_types.kinds[kind].pod.spec.pod_affinity
            if there < self._at_home[kind, index] and not near:
                return True
        return self._simulation.places.fits_on(kind, index, state)

    def _has_others(self, index: int, state: State) -> bool:
        """Whether more pods of a kind are on a node than in the home placement."""
        return any(count > self._at_home[kind, index] for kind, _, count in state.nodes[index])

    def _is_open(self, index: int, state: State) -> bool:
        """Whether a kind that must find no room still finds some on a node, or there is no such kind."""
        return not self._watched or any(self._simulation.places.fits_on(one, index, state) for one in self._watched)
