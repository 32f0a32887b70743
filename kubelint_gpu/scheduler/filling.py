"""How many equal pods a cluster takes when they come one after the other."""

from __future__ import annotations

from kubelint_gpu.kube.affinity import SpreadConstraint
from kubelint_gpu.kube.pod import Pod
from kubelint_gpu.scheduler.attempt import Attempt, attempt
from kubelint_gpu.scheduler.plugins.pod_topology_spread import included
from kubelint_gpu.scheduler.snapshot import Snapshot
from kubelint_gpu.values import dataclass, replace

MOST_PODS = 200


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
        snapshot = snapshot.place(replace(pod, meta=replace(pod.meta, name=called, uid=called)), chosen)
    return wanted, None


@dataclass(frozen=True, slots=True)
class Uneven:
    """Pods that a forbidding constraint leaves without a node, in a cluster that has room for all of them.

    Attributes:
        constraint: the position of the one without which more find a node.
        placed: how many find a node.
        failed: the attempt for the first that does not.
        exact: whether no other order of placing could do better.
    """

    constraint: int
    placed: int
    failed: Attempt
    exact: bool


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
    guilty = next((number for number in hard if _helps(pod, number, placed, wanted, snapshot)), hard[0])
    return Uneven(guilty, placed, failed, len(hard) == 1)


def _helps(pod: Pod, number: int, placed: int, wanted: int, snapshot: Snapshot) -> bool:
    """Whether more pods find a node without one of the constraints."""
    rest = tuple(one for place, one in enumerate(pod.spec.spread) if place != number)
    found, _ = filled(replace(pod, spec=replace(pod.spec, spread=rest)), wanted, snapshot)
    return found > placed


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
