"""Whether rollouts that have begun always reach their end: at each rest a waiting pod finds a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.scheduler.companions import own_terms
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.scheduler.relations import asks, label_keys, tokens
from kubelint_gpu.simulation.bounds.preconditions import gives_way
from kubelint_gpu.simulation.bounds.quiescence_room import QuiescentRoom
from kubelint_gpu.simulation.bounds.quiescence_spread import Spreading
from kubelint_gpu.simulation.bounds.quiescent_bound import APART, QuiescentBound, bound_of, quotas_let, wants_of
from kubelint_gpu.simulation.prepare.demand import DEVICES
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, without_claims
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.values import replace


def never_rest(
    situation: Situation, rolling: frozenset[int], beside: frozenset[int], *, moment: bool, evicts: bool = False
) -> bool:
    """Whether the rollouts at `rolling` end in every order of events. False if this is not known.

    Those at `beside` are rolled out at the same moment; all others may do anything. Pods outside of the situation stay.
    With `moment` a new pod must find a node at any moment, so that it preempts no pod. Otherwise it must find one once
    nothing terminates, which is enough if it cannot preempt. With `evicts` it may preempt pods, which then do not
    count.
    """
    participants = situation.participants
    if situation.grown is not None or any(_moves_otherwise(participants[place]) for place in rolling):
        return False
    looks_at_all_labels = label_keys(()) is None
    if looks_at_all_labels or any(participants[place].numbered for place in rolling):
        return False
    pods = [one.pods for one in participants]
    rolled = rolling | {place for place in beside if not _moves_otherwise(participants[place])}
    return all(
        _never_waits(situation, pods, rolling, rolled, position, moment=moment, evicts=evicts) for position in rolling
    )


def _moves_otherwise(one: WorkloadChange) -> bool:
    """Whether more than the template and a Deployment's replicas changes, or some of its pods wait or are not ready."""
    moved = one.left or one.stays or one.fresh
    lacks = one.waiting or any(pod.unready for pod in one.running)
    scaled = one.before != one.replicas and not one.controller.has_replica_sets
    return bool(one.temporary or not one.existing or scaled or moved or lacks or one.renumbered)


def _never_waits(
    situation: Situation,
    pods: Sequence[tuple[Pod, ...]],
    asked: frozenset[int],
    rolling: frozenset[int],
    position: int,
    *,
    moment: bool,
    evicts: bool,
) -> bool:
    """Whether a new pod of a participant always fits somewhere; for a DaemonSet, on its own node.

    The same must hold for all positions in `asked`, among those in `rolling`.
    """
    mine = situation.participants[position]
    if mine.controller.paused:
        return True
    new, standing = pods[position][1], situation.beside(situation.fixed)
    apart, kept_off = _apart(pods, position, standing)
    wants = wants_of(new)
    if any(map(any, apart)):
        wants[APART] = 1
    if new.spec.resource_claims:
        wants[DEVICES] = situation.demands[position].devices

    parts = (situation.participants, situation.demands)

    def bound(place: int, *, moment: bool) -> QuiescentBound:
        rolls, waits = place in rolling, place == position
        return situation.memo.of(
            ("bound", place, rolls, waits, moment, *apart[place]),
            parts,
            lambda: bound_of(
                situation,
                place,
                apart[place],
                waits=waits,
                rolls=rolls,
                moment=moment,
                free=not rolls and _moves_otherwise(situation.participants[place]),
            ),
        )

    def bounds_of(*, moment: bool) -> list[QuiescentBound]:
        return [bound(place, moment=moment) for place in range(len(situation.participants))]

    # a quota keeps a pod from being made, and nobody is evicted for that: what it lets at a rest is enough
    if not quotas_let(situation, bounds_of(moment=False), position, asked):
        return False
    bounds = bounds_of(moment=moment)
    if evicts:
        bounds = [
            replace(one, most=0) if all(gives_way(pod.spec, new.spec) for pod in one.pods) else one for one in bounds
        ]
    if not _is_plain(situation, position, pods, alone=not moment and not bounds[position].most):
        return False
    lone = replace(new, spec=replace(new.spec, spread=()))
    free = frozenset(fit(lone, standing).takers)
    room = QuiescentRoom(situation, wants, bounds, position, {APART, *tokens(new)})
    spreading = Spreading.of(new, standing, [(one.pods, one.most) for one in bounds], position)
    if mine.daemons:
        one = bounds[position].most
        lonely = spreading is None and not kept_off
        return lonely and all(name in free and not room.refusing([name], one) for name in mine.nodes)
    if kept_off:
        return spreading is None and _some_domain_takes_it(standing, sorted(free), kept_off, bounds, room, position)
    if spreading is not None:
        return spreading.never_refuses(free, room.refusing, bounds[position].most)
    return room.refusing(sorted(free), bounds[position].most) < len(free)


def _some_domain_takes_it(
    standing: Snapshot,
    free: Sequence[str],
    kept_off: Mapping[str, frozenset[int]],
    bounds: Sequence[QuiescentBound],
    room: QuiescentRoom,
    position: int,
) -> bool:
    """Whether more topology domains have room than pods can block, if each of these pods blocks one domain."""
    if len(kept_off) > 1:
        return False
    ((key, by),) = kept_off.items()
    value_of = {name: value for value, names in standing.values(key).items() for name in names}
    domains = grouped((value_of.get(name), name) for name in free)
    own = bounds[position].most
    roomy = {domain for domain, names in domains.items() if room.refusing(names, own) < len(names)}
    # a node without the label is in no domain that a pod could keep it off
    return None in roomy or len(roomy) > sum(bounds[place].most for place in by)


def _is_plain(situation: Situation, position: int, pods: Sequence[tuple[Pod, ...]], *, alone: bool) -> bool:
    """Whether its pods have no affinity to others, and need no volumes or devices that cannot be counted.

    If at most one of its pods waits (`alone`), claims that no other workload uses block no node.
    """
    cluster, mine = situation.cluster, pods[position]
    if situation.participants[position].controller.has_own_claims(cluster):
        return False
    if situation.demands[position].prices is not None:
        mine = tuple(map(without_claims, mine))
    if alone and not (cluster.csi_nodes or cluster.storage_capacities or cluster.volumes):
        used = {
            key for place, found in enumerate(pods) if place != position for pod in found for key in claim_keys(pod)
        }
        mine = tuple(_without_volumes(pod) if used.isdisjoint(claim_keys(pod)) else pod for pod in mine)
    return not any(pod.spec.pod_affinity or asks(pod, uncounted=True) for pod in mine)


def _without_volumes(pod: Pod) -> Pod:
    """Return the pod without volumes that are PersistentVolumeClaims."""
    others = tuple(one for one in pod.spec.volumes if one.kind != "persistentVolumeClaim")
    return replace(pod, spec=replace(pod.spec, volumes=others))


def _apart(
    pods: Sequence[tuple[Pod, ...]], position: int, snapshot: Snapshot
) -> tuple[list[list[bool]], dict[str, frozenset[int]]]:
    """Which pods cannot share a node with its new pod; by topology key, the positions whose pods block a domain."""
    new = pods[position][1]
    mine = own_terms(new, new.spec.pod_anti_affinity, snapshot)
    found: list[list[bool]] = []
    wider: dict[str, frozenset[int]] = {}
    for place, others in enumerate(pods):
        found.append([False] * len(others))
        for number, other in enumerate(others):
            terms = [term for term in mine if term.matches(other)]
            terms += [term for term in own_terms(other, other.spec.pod_anti_affinity, snapshot) if term.matches(new)]
            for term in terms:
                if any(len(names) > 1 for names in snapshot.values(term.key).values()):
                    wider[term.key] = wider.get(term.key, frozenset()) | {place}
                else:
                    found[-1][number] = True
    return found, wider
