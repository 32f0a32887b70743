"""How nodes differ for the claims of some pods: by equal devices, and by claims that depend on one node alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from functools import lru_cache

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.kube.dra.claim import EXACT_COUNT, most_devices
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.dra.pod_claims import pod_claims
from kubelint_gpu.kube.dra.resource_api import MOST_DEVICES
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.facts import Token
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import Failed, Unknown
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import View
from kubelint_gpu.scheduler.plugins.dynamic_resources.attempt_state import AttemptState
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import pre_filter, state_of
from kubelint_gpu.values import replace


def node_token(pods: Sequence[Pod], cluster: Cluster) -> Token:
    """A key that is equal for nodes that reach the same devices, or have own devices that are equal one by one.

    The first device of one node then stands for the first of the other, and so on. A shared claim is one claim on all
    nodes, so nodes with own devices are not equal for it.
    """
    empty = emptied(cluster)
    slices = objects_of(empty).slices
    each = {(pod.meta.namespace, pod.spec.resource_claims): pod for pod in pods}.values()
    # simulations of the same workloads ask the same of the nodes
    asked = "looks of nodes", *[(pod.meta.namespace, pod.spec) for pod in each]
    states, looks = empty.static(asked, lambda _: ([state_of(pod, empty) for pod in each], dict[str, Hashable]()))
    named = any(one.claim is not None for pod in pods for one in pod_claims(pod))
    taken: dict[DeviceID, Counter[Hashable]] = defaultdict(Counter)
    for device in (device for pod in cluster.pods for _, one in pod.allocations for device in one.devices):
        taken[device.id][device.admin, bool(device.share), device.consumed] += 1

    def token(node: Node, _: Sequence[Pod]) -> Hashable:
        if taken:
            return look(node)
        if node.name not in looks:
            looks[node.name] = look(node)
        return looks[node.name]

    def look(node: Node) -> Hashable:
        info, view = empty.node(node.name), slices.view(node)
        own = _has_own(view, node.name)
        if info is None or (named and (own or taken)) or any(slot.device.binds_to_node for slot in view.slots):
            return node.name
        if not own:
            identities: Hashable = tuple([slot.id for slot in view.slots])
        elif all(slot.origin.node_name for slot in view.slots) and not view.elsewhere:
            identities = tuple([frozenset(taken.get(slot.id, {}).items()) for slot in view.slots])
        else:
            return node.name
        return own, identities, tuple([state.key(info) for state in states if state is not None])

    return token


_LAST: list[tuple[Cluster, Snapshot]] = []


def emptied(cluster: Cluster) -> Snapshot:
    """A cluster without its pods; the last few are cached, because comparing clusters takes time."""
    found = next((empty for known, empty in _LAST if known is cluster), None)
    if found is None:
        found = _equal(replace(cluster, pods=()))
        _LAST[:] = [(cluster, found), *_LAST[: PLACEMENT.clusters - 1]]
    return found


@lru_cache(maxsize=4)
def _equal(cluster: Cluster) -> Snapshot:
    return Snapshot.of(cluster)


def own_devices(cluster: Cluster, names: Sequence[str]) -> list[tuple[DeviceID, ...]]:
    """The devices that only one node reaches, in the order in which they are tried, for each node name."""
    empty = emptied(cluster)
    slices = objects_of(empty).slices
    views = [(name, slices.view(node.node)) for name in names if (node := empty.node(name)) is not None]
    return [tuple([slot.id for slot in view.slots]) if _has_own(view, name) else () for name, view in views]


def _has_own(view: View, name: str) -> bool:
    return any(slot.origin.node_name == name for slot in view.slots)


def keeps_to_nodes(pod: Pod, cluster: Cluster, *, shared: bool = False) -> bool:
    """Whether the allocation of a pod's claims on a node depends only on the pods of that node.

    Every device belongs to one node, the claims are generated for the pod (or may be `shared`), and no device makes an
    attempt end with an error.
    """
    if not shared and any(one.claim is not None for one in pod_claims(pod)):
        return False
    key = ("keeps to nodes", pod.meta.namespace, pod.spec.resource_claims, *pod.claim_statuses.items())
    return emptied(cluster).static(key, lambda empty: _keeps_to_nodes(pod, empty))


def _keeps_to_nodes(pod: Pod, empty: Snapshot) -> bool:
    found = pre_filter(pod, empty)
    if not isinstance(found.state, AttemptState):
        return found.skip
    state = found.state
    return empty.static("devices of one node each", _are_of_one_node) and not state.asked and _never_errs(state, empty)


def _never_errs(state: AttemptState, empty: Snapshot) -> bool:
    """Whether no device of any node makes an attempt for a pod end with an error, whatever is allocated."""
    queries = [(place, query) for place, claim in enumerate(state.wanted) for query in claim.spec.queries]
    much = any(most_devices(claim.spec) > MOST_DEVICES for claim in state.wanted)
    if much or any(query.mode != EXACT_COUNT for _, query in queries):
        return False
    objects = objects_of(empty)
    for found in {state.key(info): state.wanted_on(info) for info in empty.nodes}.values():
        matcher = objects.matcher()
        for place, slot in enumerate(found[1].slots if found is not None else ()):
            try:
                for number, (claim, query) in enumerate(queries):
                    matcher.selects(query, number, claim, place, slot)
            except (Failed, Unknown):
                return False
    return True


def _are_of_one_node(empty: Snapshot) -> bool:
    slices = objects_of(empty).slices
    seen: set[DeviceID] = set()
    for info in empty.nodes:
        view = slices.view(info.node)
        if view.elsewhere or any(pool.invalid or pool.incomplete for pool in view.pools):
            return False
        for slot in view.slots:
            if slot.origin.node_name != info.name or slot.id in seen or slot.device.binding_conditions:
                return False
            seen.add(slot.id)
    return True
