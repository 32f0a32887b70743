"""Which placed pods use a claim, and on which nodes that keeps them.

A generated claim is deleted with its pod. A claim that pods name stays allocated while any of them exists, and its
devices bind all of them to the nodes that reach these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.dra.pod_claims import pod_claims
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings
from kubelint_gpu.values import Value


class Hold(Value):
    """An allocated claim of a pod.

    Attributes:
        nodes: the names of the nodes that reach its devices.
        users: the placed pods that use the claim, including the pod.
    """

    nodes: tuple[str, ...]
    users: tuple[Pod, ...]


def holds(pod: Pod, snapshot: Snapshot) -> tuple[Hold, ...]:
    """The allocated claims of a pod, placed or not: claims that it names may already be allocated."""
    allocations = {**holdings(snapshot).claims, **dict(pod.allocations)}
    found = []
    for key in claim_keys(pod):
        if key in allocations:
            selector = allocations[key].node_selector
            nodes = [one.node for one in snapshot.nodes]
            reached = tuple([one.name for one in nodes if selector is None or selector.matches(one.labels, one.name)])
            found.append(Hold(reached, users_of(key, snapshot)))
    return tuple(found)


def users_of(claim: str, snapshot: Snapshot) -> tuple[Pod, ...]:
    """The placed pods that use a claim."""
    return tuple(snapshot.derived("claim users", _users).get(claim, ()))


def _users(snapshot: Snapshot) -> Mapping[str, Sequence[Pod]]:
    return grouped((key, pod) for node in snapshot.nodes for pod in node.claimants for key in claim_keys(pod))


def claim_keys(pod: Pod) -> dict[str, None]:
    """The keys of a pod's claims, in the order of its spec, and of those that were created when it was placed."""
    keys: dict[str, None] = {}
    for entry in pod_claims(pod):
        name = entry.claim if entry.claim is not None else pod.claim_statuses.get(entry.name)
        if name is not None:
            keys[f"{pod.meta.namespace}/{name}"] = None
    return keys | dict.fromkeys(key for key, _ in pod.allocations)
