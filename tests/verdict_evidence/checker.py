"""The checker of evidence: it knows the controllers, the model and the scheduler, and none of the deciders."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, singledispatch

from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.simulation.controllers.rollout_state import READY, UNBOUND, State, count_on, on_node
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.replay import ReplayMismatch
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.trace import Trace
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import Value, replace
from verdict_evidence.arithmetic import (
    cost_of_refusing,
    counts_decide,
    is_no_larger,
    kept_places,
    nobody_ends,
    nobody_evicts,
    places,
    takers,
)
from verdict_evidence.kinds import (
    Closed,
    Counted,
    EachNode,
    Evidence,
    Infeasible,
    InPlace,
    KeptPods,
    LeftOut,
    Runs,
)


class NotShown(AssertionError):  # noqa: N818 - it says what happened
    """Evidence does not show what is claimed."""


class Claim(Value):
    """What is said of the rollouts at some positions of a situation, while those that are `moving` change, too.

    `short` says that not all pods of the one workload find room; then there is no verdict. `trace` is the run that the
    decider tells.
    """

    situation: Situation
    positions: tuple[int, ...]
    moving: frozenset[int]
    verdict: Verdict | None
    short: bool = False
    wanted: int = 0
    placed: int = 0
    trace: Trace | None = None


def check(claim: Claim, evidence: Evidence) -> None:
    """Look at what shows a claim.

    Raises:
        NotShown: it does not.
    """
    _check(evidence, claim)


@singledispatch
def _check(evidence: Evidence, claim: Claim) -> None:
    raise NotShown(f"no evidence of a known kind: {evidence!r} for {claim.verdict}")


def _hold(fact: object, why: str) -> None:
    if not fact:
        raise NotShown(why)


@_check.register
def _infeasible(evidence: Infeasible, claim: Claim) -> None:
    _hold(claim.verdict in (Verdict.COMPLETES, None) and not claim.short, "room shows only that a rollout ends")
    for position in claim.positions:
        situation = claim.situation
        _hold(counts_decide(situation, position), "more than resources may keep the pod off a node")
        nodes = takers(situation, position) & {node.name for node in situation.cluster.nodes}
        refusing = evidence.refusing[position]
        for name, (supply, prices) in cost_of_refusing(situation, position, claim.moving, nodes).items():
            most = refusing[name]
            _hold(most == len(prices) or sum(prices[: most + 1]) > supply, f"more nodes can lack {name}")
        _hold(sum(refusing.values()) < len(nodes), "all nodes can refuse the pod")


@_check.register
def _each_node(_: EachNode, claim: Claim) -> None:
    situation, (position,) = claim.situation, claim.positions
    one = situation.participants[position]
    new = created_pod(one.new, "new")
    standing = Snapshot.of(replace(situation.cluster, pods=situation.fixed))
    alone = frozenset(fit(new, standing).takers)
    beside = alone
    if one.controller.surge(one.replicas):
        old = created_pod(one.old, "old")
        there = tuple(
            replace(old, meta=replace(old.meta, name=f"{old.meta.name}-{node}"), spec=replace(old.spec, node_name=node))
            for node in one.standing
        )
        found = fit(new, Snapshot.of(replace(situation.cluster, pods=(*situation.fixed, *there))))
        beside = frozenset(found.takers)
    if claim.verdict is Verdict.STUCK:
        _hold(nobody_evicts(situation) and nobody_ends(situation), "a pod that is there may go")
        _hold(
            any(node in alone - beside for node in one.nodes), "each node that takes a new pod takes it beside the old"
        )
        return
    _hold(claim.verdict in (Verdict.COMPLETES, None), "a pod on each node shows only that a rollout ends")
    _hold(alone.issuperset(one.nodes) is not claim.short, "the nodes take more or fewer of the pods")
    _hold(claim.short or claim.verdict is None or beside.issuperset(one.nodes), "a node has no room beside the old pod")


@_check.register
def _in_place(evidence: InPlace, claim: Claim) -> None:
    situation, (position,) = claim.situation, claim.positions
    one, simulation, state = situation.participants[position], evidence.simulation, evidence.state
    _hold(claim.verdict is Verdict.COMPLETES and not claim.moving, "places of its own show only that it ends by itself")
    _hold(one.before == one.replicas and not one.resumes and not one.controller.paused, "its number of pods changes")
    _hold(one.controller.keeps(one.replicas) < one.replicas, "no old pod goes before a new one is available")
    _hold(nobody_evicts(situation), "a pod may be evicted")
    _hold(not any(state.waiting) and not simulation.pod_types.optional, "a pod waits before the rollout begins")
    _hold(is_no_larger(situation, position, simulation), "a new pod may need more than an old one leaves")
    mine = simulation.pod_types.members[position]
    new = [kind for kind in mine if simulation.pod_types.kinds[kind].new]
    seen = set()
    for index, content in enumerate(state.nodes):
        for kind in mine:
            if count_on(content, kind, READY) and (content, kind) not in seen:
                seen.add((content, kind))
                left = state._replace(nodes=on_node(state.nodes, index, (kind, READY, -1)))
                for other in new:
                    _hold(_fits(claim, simulation, left, other, index), "a new pod does not fit where an old one was")


@_check.register
def _kept(_: KeptPods, claim: Claim) -> None:
    situation, (position,) = claim.situation, claim.positions
    one = situation.participants[position]
    _hold(nobody_evicts(situation) and nobody_ends(situation), "a pod that is there may go")
    others, own = kept_places(situation, position, claim.moving)
    whole = sum(places(situation, position).values())
    if claim.short:
        _hold(whole - others < one.replicas, "there are places enough for all its pods")
        return
    _hold(claim.verdict is Verdict.STUCK, "pods that are kept show only that a rollout is stuck")
    _hold(own and whole - others - own == 0, "a new pod may find a place, or some of the pods that are kept find none")


@_check.register
def _counted(evidence: Counted, claim: Claim) -> None:
    situation, (position,) = claim.situation, claim.positions
    _hold(claim.short, "a count shows only a shortage")
    found = places(situation, position)
    _hold(all(count <= evidence.places.get(node, 0) for node, count in found.items()), "a node holds more of its pods")
    _hold(sum(evidence.places.values()) < claim.wanted, "there are places enough for all its pods")


@_check.register
def _left_out(evidence: LeftOut, claim: Claim) -> None:
    (position,) = claim.positions
    _hold(claim.short, "a pod that is left out shows only a shortage")
    simulation, state = evidence.simulation, evidence.state
    mine, every = simulation.pod_types.members[position], range(len(state.nodes))
    waiting = [(kind, every) for kind in mine if state.waiting[kind]]
    for index, content in enumerate(state.nodes):
        waiting += [(kind, range(index, index + 1)) for kind, phase, _ in content if kind in mine and phase in UNBOUND]
    for kind, nodes in waiting:
        _hold(not any(_fits(claim, simulation, state, kind, node) for node in nodes), "a node takes it")
    bound = sum(count for content in state.nodes for kind, phase, count in content if kind in mine)
    _hold(bound < claim.wanted or waiting, "all its pods are there")
    _hold(waiting or not any(simulation.places.may_create(kind, state) for kind in mine), "one more may be created")


@_check.register
def _closed(evidence: Closed, claim: Claim) -> None:
    _hold(claim.verdict in (Verdict.COMPLETES, Verdict.STUCK), "closed states show that all runs end, or none")
    _hold_closed(evidence, claim.verdict is Verdict.COMPLETES)


def _hold_closed(evidence: Closed, completes: bool) -> None:
    model = evidence.simulation.model
    done = partial(model.done, name=evidence.ends)
    number = {state: place for place, state in enumerate(evidence.states)}
    _hold(evidence.starts and all(state in number for state in evidence.starts), "a start is not among the states")
    away: dict[int, int] = {}
    for place, state in enumerate(evidence.states):
        if done(state):
            _hold(completes, "a run is at its end")
            away[place] = place
            continue
        following = {number.get(one, -1) for one in model.successors(state)}
        _hold(-1 not in following, "an event leaves the states")
        if completes:
            away[place] = evidence.nearer[place]
            _hold(away[place] in following, "no event leads nearer to the end")
    whole: set[int] = {place for place, one in away.items() if one == place}
    for first in away:
        place, path = first, []
        while place not in whole:
            path.append(place)
            _hold(len(path) <= len(away), "the way to the end is a circle")
            place = away[place]
        whole.update(path)


@_check.register
def _runs(evidence: Runs, claim: Claim) -> None:
    _hold(claim.verdict is Verdict.MAY_STICK, "two runs show that a rollout may stick")
    model = evidence.simulation.model
    done = partial(model.done, name=evidence.ends)
    for run in (evidence.ended, evidence.stuck):
        if run:
            _played(claim, evidence.simulation, run)
    if evidence.ended:
        _hold(done(evidence.ended[-1]), "the run is not at its end")
    if evidence.after is None:
        _hold(not model.successors(evidence.stuck[-1]) and not done(evidence.stuck[-1]), "the run goes on")
        return
    _hold(evidence.stuck[-1] in evidence.after.starts, "the states do not follow the run")
    _hold_closed(evidence.after, completes=False)


def _played(claim: Claim, simulation: Simulation, run: Sequence[State]) -> None:
    """A run leads from state to state, and the scheduler core binds and evicts as it says."""
    for place, state in enumerate(run[:-1]):
        _hold(run[place + 1] in simulation.model.successors(state), "no event leads on to the next state")
    try:
        GroupSearch(claim.situation).replayed(simulation, run, ends=False)
    except ReplayMismatch as mismatch:
        raise NotShown(str(mismatch)) from mismatch


def _fits(claim: Claim, simulation: Simulation, state: State, kind: int, index: int) -> bool:
    """Whether the scheduler core puts a pod of a type on a node, beside the pods of a state on the whole cluster."""
    situation, types = claim.situation, simulation.pod_types.kinds
    names = simulation.places.names
    there = [pod for pod in situation.fixed if pod.identifier not in simulation.in_play]
    for place, content in enumerate(state.nodes):
        for other, phase, count in content:
            for number in range(count if other >= 0 and phase not in UNBOUND else 0):
                pod = types[other].pod
                name = f"{pod.meta.name}-{other}-{phase}-{place}-{number}"
                meta = replace(pod.meta, name=name, uid="")
                there.append(replace(pod, meta=meta, spec=replace(pod.spec, node_name=names[place])))
    cluster = replace(situation.cluster, pods=tuple(there))
    return names[index] in fit(types[kind].pod, Snapshot.of(cluster)).takers
