"""Whether rollouts that have begun stop nowhere before their end: a pod that waits at a rest finds a node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.scheduler.companions import own_terms
from kubelint_gpu.scheduler.relations import asks, label_keys, tokens
from kubelint_gpu.simulation.bounds.quiescence_room import APART, QuiescentRoom, bound_of, quotas_let, wants_of
from kubelint_gpu.simulation.bounds.quiescence_spread import Spreading
from kubelint_gpu.simulation.prepare.demand import DEVICES
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, without_claims
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.values import replace


def never_rest(situation: Situation, rolling: frozenset[int]) -> bool:
    """Whether the rollouts of some participants, begun at the same moment, come to their end in every order of events.

    All others have the pods they want and keep them, nobody evicts anybody, and no pod outside of the situation goes.
    False where it is not known.
    """
    participants = situation.participants
    if situation.grown is not None or any(_moves_otherwise(one) for one in participants):
        return False
    pods = [one.pods for one in participants]
    every = [pod for found in pods for pod in found]
    looked_at = label_keys([*every, *situation.fixed])
    if looked_at is None or any(one.numbered for one in participants):
        return False
    return all(_never_waits(situation, pods, rolling, position) for position in rolling)


def _moves_otherwise(one: WorkloadChange) -> bool:
    """Whether more of it changes than its template and a Deployment's replicas, or pods of it wait or are not ready."""
    moved = one.left or one.stays or one.fresh
    lacks = one.waiting or any(pod.unready for pod in one.running)
    scaled = one.before != one.replicas and not one.controller.has_replica_sets
    return bool(one.temporary or not one.existing or scaled or moved or lacks or one.renumbered)


def _never_waits(situation: Situation, pods: Sequence[tuple[Pod, ...]], rolling: frozenset[int], position: int) -> bool:
    """Whether a new pod of a participant that waits at a rest always fits somewhere; of a DaemonSet, on its node."""
    mine = situation.participants[position]
    if mine.controller.paused:
        return True
    new, standing = pods[position][1], situation.beside(situation.fixed)
    apart = _apart(pods, position, standing)
    if apart is None or not _is_plain(situation, position, pods[position]):
        return False
    wants = wants_of(new)
    if any(map(any, apart)):
        wants[APART] = 1
    if new.spec.resource_claims:
        wants[DEVICES] = situation.demands[position].devices
    bounds = [
        bound_of(situation, place, pods[place], wants, apart[place], waits=place == position, rolls=place in rolling)
        for place in range(len(pods))
    ]
    if not quotas_let(situation, bounds, position):
        return False
    lone = replace(new, spec=replace(new.spec, spread=()))
    free = frozenset(fit(lone, standing).takers)
    room = QuiescentRoom(situation, wants, bounds, position, {APART, *tokens(new)})
    spreading = Spreading.of(new, standing, [(one.pods, one.most) for one in bounds], position)
    if mine.daemons:
        one = bounds[position].most
        return spreading is None and all(name in free and not room.refusing([name], one) for name in mine.nodes)
    if spreading is not None:
        return spreading.never_refuses(free, room.refusing, bounds[position].most)
    return room.refusing(sorted(free), bounds[position].most) < len(free)


def _is_plain(situation: Situation, position: int, pods: Iterable[Pod]) -> bool:
    """Whether its pods are neither drawn to others, nor need volumes or devices that cannot be counted."""
    if situation.participants[position].controller.has_own_claims(situation.cluster):
        return False
    if situation.demands[position].prices is not None:
        pods = map(without_claims, pods)
    return not any(pod.spec.pod_affinity or asks(pod, uncounted=True) for pod in pods)


def _apart(pods: Sequence[tuple[Pod, ...]], position: int, snapshot: Snapshot) -> list[list[bool]] | None:
    """Which pods cannot be on the node of its new pod; None where some cannot be on others either."""
    new = pods[position][1]
    mine = own_terms(new, new.spec.pod_anti_affinity, snapshot)
    found = []
    for others in pods:
        found.append([False] * len(others))
        for number, other in enumerate(others):
            terms = [term for term in mine if term.matches(other)]
            terms += [term for term in own_terms(other, other.spec.pod_anti_affinity, snapshot) if term.matches(new)]
            if any(len(names) > 1 for term in terms for names in snapshot.values(term.key).values()):
                return None
            found[-1][number] = bool(terms)
    return found
