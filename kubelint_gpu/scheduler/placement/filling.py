"""How many equal pods a cluster takes when they come one after the other."""

from __future__ import annotations

from collections.abc import Collection

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.kube.objects.affinity import SpreadConstraint
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.attempt import Attempt, assume, attempt
from kubelint_gpu.scheduler.fit import fit
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.pod_topology_spread import included
from kubelint_gpu.values import dataclass, replace

MOST_PODS = PLACEMENT.spread_pods
_HOSTNAME = "kubernetes.io/hostname"


def filled(pod: Pod, wanted: int, snapshot: Snapshot) -> tuple[int, Attempt | None]:
    """How many of the pods find a node, and the attempt that failed; None where all do.

    Each pod goes where its topology spread constraints are best kept, as scoring has it, then to the first node by
    name. With one forbidding constraint no other order places more; with several, another could.
    """
    keys = tuple(one.topology_key for one in pod.spec.spread if one.do_not_schedule)
    counts: dict[tuple[str, str], int] = {}
    for number in range(wanted):
        found = attempt(pod, snapshot)
        if found.fit is None or not found.fit.schedulable:
            return number, found
        labels = {name: snapshot.node(name) for name in found.fit.fits}
        domains = {
            name: [(key, info.node.labels.get(key, "")) for key in keys]
            for name, info in labels.items()
            if info is not None
        }
        chosen = min(domains, key=lambda name: ([counts.get(domain, 0) for domain in domains[name]], name))
        for domain in domains[chosen]:
            counts[domain] = counts.get(domain, 0) + 1
        called = f"{pod.meta.name}-{number}"
        snapshot = assume(replace(pod, meta=replace(pod.meta, name=called, uid=called)), snapshot, chosen)
    return wanted, None


@dataclass(frozen=True, slots=True)
class Uneven:
    """Pods that a forbidding constraint leaves without a node, in a cluster that has room for all of them.

    Attributes:
        constraint: the position of the one without which more find a node.
        placed: how many find a node.
        failed: the attempt for the first that does not.
        exact: whether no order of placing does better.
        against: the positions of the other forbidding constraints where this one by itself keeps none out.
    """

    constraint: int
    placed: int
    failed: Attempt
    exact: bool
    against: tuple[int, ...] = ()


def uneven(pod: Pod, wanted: int, snapshot: Snapshot) -> Uneven | None:
    """What keeps some of `wanted` equal pods out, where it is their own topology spread constraints."""
    hard = [number for number, one in enumerate(pod.spec.spread) if one.do_not_schedule]
    if not hard:
        return None
    placed, failed = filled(pod, wanted, snapshot)
    if failed is None or failed.fit is None:
        return None
    free, rest = filled(without_spreading(pod), wanted, snapshot)
    if rest is not None or free < wanted:
        return None
    guilty = next((number for number in hard if _under(pod, set(hard) - {number}, wanted, snapshot) > placed), hard[0])
    if len(hard) == 1:
        return Uneven(guilty, placed, failed, exact=True)
    most = most_placed(pod, wanted, snapshot)
    alone = _under(pod, {guilty}, wanted, snapshot)
    against = tuple(number for number in hard if number != guilty) if alone == wanted else ()
    if most is None or most == wanted:
        return Uneven(guilty, placed, failed, exact=False, against=against)
    return Uneven(guilty, most, failed, exact=True, against=against)


def most_placed(pod: Pod, wanted: int, snapshot: Snapshot) -> int | None:
    """The most of `wanted` equal pods that find a node in any order of placing; None where that takes too long.

    Nodes that nothing but their name tells apart are not told apart.
    """
    alike = _alike(pod, snapshot)
    names = [info.name for info in snapshot.nodes]
    left = PLACEMENT.visits // max(1, len(names))
    seen: set[tuple[tuple[int, ...], ...]] = set()
    waiting, most = [(snapshot, dict.fromkeys(names, 0))], 0
    while waiting:
        here, counts = waiting.pop()
        placed = sum(counts.values())
        most = max(most, placed)
        if most == wanted:
            return most
        if not left:
            return None
        left -= 1
        for name in fit(pod, here).fits:
            after = {**counts, name: counts[name] + 1}
            key = tuple(tuple(sorted(after[one] for one in group)) for group in alike)
            if key not in seen:
                seen.add(key)
                called = f"{pod.meta.name}-{placed}"
                one = replace(pod, meta=replace(pod.meta, name=called, uid=called))
                waiting.append((assume(one, here, name), after))
    return most


def _alike(pod: Pod, snapshot: Snapshot) -> list[list[str]]:
    """The nodes in groups of which each is as good as the others for pods that take no volumes or devices by name."""
    taken = set(fit(without_spreading(pod), snapshot).fits)
    plain = not (pod.spec.volumes or pod.spec.resource_claims)
    groups: dict[object, list[str]] = {}
    for info in snapshot.nodes:
        node = info.node
        labels = frozenset((key, value) for key, value in node.labels.items() if key != _HOSTNAME)
        named = node.labels.get(_HOSTNAME) == node.name and plain and not info.pods
        key = (labels, node.taints, node.unschedulable, node.allocatable, node.name in taken)
        groups.setdefault(key if named else node.name, []).append(node.name)
    return list(groups.values())


def _under(pod: Pod, constraints: Collection[int], wanted: int, snapshot: Snapshot) -> int:
    """How many of the pods find a node where it has these constraints only."""
    kept = tuple(one for place, one in enumerate(pod.spec.spread) if place in constraints)
    return filled(replace(pod, spec=replace(pod.spec, spread=kept)), wanted, snapshot)[0]


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
