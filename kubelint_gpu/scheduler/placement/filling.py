"""Places equal pods: how many fit on a node, how many a cluster takes one after the other, and why it takes no more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from kubelint_gpu.budget import PLACEMENT, STEPS
from kubelint_gpu.kube.objects.affinity import SpreadConstraint
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.attempt import Attempt, assume, attempt, held
from kubelint_gpu.scheduler.fit import fit, fit_on, judged, prepare
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import ANY_NUMBER, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import node_resources_fit
from kubelint_gpu.scheduler.plugins.pod_topology_spread import included
from kubelint_gpu.values import Value, replace
from kubelint_gpu.work import charge


class Filled(Value):
    """The result of placing pods one after the other.

    Attributes:
        placed: how many got a node.
        snapshot: the cluster with them.
        failed: the attempt for the first pod that got none; None if all got one.
    """

    placed: int
    snapshot: Snapshot
    failed: Attempt | None = None


def fill(pod: Pod, wanted: int, snapshot: Snapshot, *, choose: Callable[[Sequence[str]], str] | None = None) -> Filled:
    """Place equal pods, each on the node that `choose` returns, by default on the first by name."""
    first, snapshot = _at_once(pod, snapshot, wanted) if choose is None else (0, snapshot)
    for number in range(first, wanted):
        found = attempt(pod, snapshot)
        if found.fit is None or not found.fit.schedulable:
            return Filled(number, snapshot, found)
        snapshot = assume(numbered(pod, number), snapshot, (choose or min)(found.fit.fits))
    return Filled(wanted, snapshot)


def _at_once(pod: Pod, snapshot: Snapshot, most: int) -> tuple[int, Snapshot]:
    """How many equal pods, up to `most`, find a node without preemption, and the snapshot with them.

    0 if that depends on pods of other nodes: then they must be placed one by one.
    """
    if held(pod, snapshot):
        return 0, snapshot
    rooms = {name: bound_on(pod, snapshot, name, most) for name in fit(pod, snapshot).fits}
    if not all(exact for _, exact in rooms.values()):
        return 0, snapshot
    taken, infos = 0, {}
    for name, (room, _) in rooms.items():
        node, number = snapshot.node(name), min(room, most - taken)
        charge(number // STEPS.short_pods)
        if node is not None and number:
            infos[name] = node.with_pods(numbered(pod, taken), number)
        taken += number
    return taken, snapshot.with_infos(infos)


def spread_out(pod: Pod, wanted: int, snapshot: Snapshot) -> Filled:
    """Place equal pods, each where scoring for its DoNotSchedule spread constraints prefers it.

    With one such constraint no other order places more; with several, another could.
    """
    keys = tuple(one.topology_key for one in pod.spec.spread if one.do_not_schedule)
    counts: dict[tuple[str, str], int] = {}

    def least(names: Sequence[str]) -> str:
        infos = {name: snapshot.node(name) for name in names}
        found = {
            name: [(key, info.node.labels.get(key, "")) for key in keys]
            for name, info in infos.items()
            if info is not None
        }
        chosen = min(found, key=lambda name: ([counts.get(domain, 0) for domain in found[name]], name))
        for domain in found[chosen]:
            counts[domain] = counts.get(domain, 0) + 1
        return chosen

    return fill(pod, wanted, snapshot, choose=least if keys else None)


def first_without_node(pod: Pod, snapshot: Snapshot, most: int) -> tuple[Attempt, Snapshot]:
    """The attempt for the first pod that finds no node, or for the one after `most` pods, and the pods beside it."""
    found = fill(pod, most, snapshot)
    return attempt(pod, found.snapshot) if found.failed is None else found.failed, found.snapshot


def reasons_of(found: Attempt, nodes: Collection[str]) -> dict[tuple[str, str], tuple[str, ...]]:
    """For each reason and the resource that is short, the nodes that it keeps the pod off.

    Only the first reason of each node counts.
    """
    rejections = found.fit.rejections if found.fit is not None else {}
    reasons: dict[tuple[str, str], tuple[str, ...]] = {}
    for node in sorted(nodes):
        for reason in rejections[node].shortages[:1] if node in rejections else ():
            reasons[reason] = (*reasons.get(reason, ()), node)
    return reasons


def without_spreading(pod: Pod) -> Pod:
    """The pod without topology spread constraints."""
    return replace(pod, spec=replace(pod.spec, spread=()))


def domains(pod: Pod, constraint: SpreadConstraint, snapshot: Snapshot) -> tuple[str, ...]:
    """The domains that a constraint of a pod counts, sorted, whether or not their nodes take the pod."""
    keys = [one.topology_key for one in pod.spec.spread if one.do_not_schedule]
    found = {
        info.node.labels[constraint.topology_key]
        for info in snapshot.nodes
        if all(key in info.node.labels for key in keys) and included(constraint, pod.spec, info)
    }
    return tuple(sorted(found))


def evicts_on(name: str, attacker: Pod, holder: Pod, holders: int, empty: Snapshot) -> bool:
    """Whether pods of one kind preempt pods of another on a node that both fill.

    The node first takes as many of the `holders` as possible, then as many attackers as possible, then one more comes.
    `empty` is the cluster without running pods.
    """
    node = empty.node(name)
    if node is None:
        return False
    snapshot = Snapshot.of(replace(empty.cluster, nodes=(node.node,), pods=()))
    # each by itself, as a victim that preemption may choose
    held = fill(holder, min(holders, PLACEMENT.of_one_kind), snapshot, choose=min)
    if not held.placed:
        return False
    snapshot = fill(attacker, PLACEMENT.of_one_kind, held.snapshot).snapshot
    last = attempt(attacker, snapshot)
    if last.preemption is None or not last.preemption.succeeds:
        return False
    return any(victim.spec is holder.spec for victim in last.preemption.victims)


def room_for(pod: Pod, node: NodeInfo, snapshot: Snapshot) -> int:
    """The number of pods like this one whose requests fit on a node, at most 256."""
    prepared = node_resources_fit.PLUGIN.pre_filter(pod, snapshot)
    return min(PLACEMENT.of_one_kind, node_resources_fit.takes(prepared.state, node))


def fitting_on(pod: Pod, snapshot: Snapshot, name: str, enough: int) -> int:
    """How many equal pods a node takes one after the other, up to `enough`.

    They are counted if each filter can say how many it admits, and otherwise placed one by one.

    Raises:
        KeyError: there is no such node.
    """
    most, exact = bound_on(pod, snapshot, name, enough)
    for number in range(0 if exact else most):
        if number and fit_on(pod, snapshot, name) is not None:
            return number
        snapshot = assume(numbered(pod, number), snapshot, name)
    return most


def bound_on(pod: Pod, snapshot: Snapshot, name: str, enough: int) -> tuple[int, bool]:
    """An upper bound of the equal pods that a node takes, up to `enough`, and whether the bound is exact.

    If it is exact, pods on other nodes do not matter.

    Raises:
        KeyError: there is no such node.
    """
    node = snapshot.node(name)
    if node is None:
        raise KeyError(name)
    charge(1)
    begun = prepare(pod, snapshot)
    if isinstance(begun, Status) or (begun.left is not None and name not in begun.left):
        return 0, True
    if judged([(plugin.filter, state) for plugin, state in begun.active], node) is not None:
        return 0, True
    counts = [plugin.takes(state, node) if plugin.takes is not None else None for plugin, state in begun.active]
    known = [count for count in counts if count is not None]
    return min(enough, *known, ANY_NUMBER), len(known) == len(counts)


def numbered(pod: Pod, number: int) -> Pod:
    """One of several equal pods, with its own name."""
    name = f"{pod.meta.name}-{number}"
    return replace(pod, meta=replace(pod.meta, name=name, uid=name))
