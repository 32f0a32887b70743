"""How many devices others must hold on a node so that a pod's claims find too few. Bounds use these numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.dra.device_class import is_charged_for_claims
from kubelint_gpu.kube.dra.pod_claims import pod_claims
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.counters import parts_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_users import claim_keys
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.device_choice import DeviceChoice
from kubelint_gpu.scheduler.plugins.dynamic_resources.device_supply import DeviceRoom
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings
from kubelint_gpu.scheduler.plugins.dynamic_resources.node_likeness import keeps_to_nodes
from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import state_of
from kubelint_gpu.values import replace


def device_rooms(pods: Sequence[Pod], rest: Sequence[Pod], cluster: Cluster, most: int) -> dict[int, DeviceRoom]:
    """Return bounds on the devices of each pod with claims, by its index, beside `rest`, the other running pods.

    At rest at most `most` pods have claims. Empty if devices can be short in another way than by number: each device
    must belong to one node and be allocated to one claim at a time. A claim that pods share must be the only one for
    its devices: then it gets the devices of some node whenever a pod uses it.
    """
    snapshot = Snapshot.of(replace(cluster, pods=tuple(rest)))
    asking = {number: pod for number, pod in enumerate(pods) if pod.spec.resource_claims}
    if not asking or _is_uncertain(pods, snapshot, cluster):
        return {}
    found: dict[tuple[str, object], DeviceChoice] = {}
    chosen: dict[object, set[DeviceID]] = {}
    kept: set[object] = set()
    amounts: set[object] = set()
    for pod in asking.values():
        key, named = (pod.meta.namespace, pod.spec.resource_claims), [one.claim for one in pod_claims(pod) if one.claim]
        if key in found:
            continue
        state = state_of(pod, snapshot)
        if state is None or 0 < len(named) < len(pod.spec.resource_claims):
            return {}
        amounts.update(query.capacity for claim in state.claims for query in claim.spec.queries)
        found[key] = DeviceChoice(snapshot, state, shared=bool(named))
        chosen[frozenset(named) or key] = found[key].devices
        room = found[key].room({}, {}) if named else None
        if room is not None and not room.serves(most):
            return {}
        kept |= {frozenset(named)} if named else set()
    if any(chosen[one] & devices for one in kept for other, devices in chosen.items() if other != one):
        return {}
    slices, wanted = objects_of(snapshot).slices, set().union(*chosen.values(), holdings(snapshot).exclusive)
    shares = not kept and _takes_alike(amounts, rest, cluster)
    parts = parts_of((slices.view(info.node) for info in snapshot.nodes), wanted, shares=shares)
    if parts is None:
        return {}
    numbers: dict[Hashable, int] = {}
    rooms = {key: one.room(parts, numbers) for key, one in found.items()}
    return {number: rooms[pod.meta.namespace, pod.spec.resource_claims] for number, pod in asking.items()}


def _takes_alike(amounts: set[object], rest: Sequence[Pod], cluster: Cluster) -> bool:
    """Whether all claims that are or will be allocated to pods that can move ask for one and the same capacity."""
    fixed = {*rest}
    keys = {key for pod in cluster.pods if pod not in fixed for key, _ in pod.allocations}
    moving = [claim for claim in cluster.resource_claims if claim.key in keys]
    asked = amounts.union(query.capacity for claim in moving for query in claim.spec.queries)
    return len(asked) == 1 and len(moving) == len(keys)


def _is_uncertain(pods: Sequence[Pod], snapshot: Snapshot, cluster: Cluster) -> bool:
    """Whether other pods may get devices, quotas count claims, or devices cannot simply be counted."""
    waiting = any(pod.spec.resource_claims and not pod.spec.node_name and not pod.finished for pod in cluster.pods)
    served = objects_of(snapshot).by_resource
    if waiting or any(is_charged_for_claims(key, served) for quota in cluster.quotas for key in quota.hard):
        return True
    standing = [pod for info in snapshot.nodes for pod in info.claimants]
    able = [pod.spec.priority or 0 for pod in pods if pod.spec.preemption_policy != "Never"]
    if standing and max(able, default=0) > min(pod.spec.priority or 0 for pod in standing):
        return True
    known = holdings(snapshot).claims.keys()
    if any(not pod.allocations and not known >= claim_keys(pod).keys() for pod in standing):
        return True
    return not all(keeps_to_nodes(pod, cluster, shared=True) for pod in pods)
