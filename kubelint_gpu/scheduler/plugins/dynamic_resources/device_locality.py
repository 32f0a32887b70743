"""Whether the allocation of claims on a node depends on that node alone."""

from __future__ import annotations

from kubelint_gpu.kube.dra.claim import EXACT_COUNT, most_devices
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.dra.pod_claims import pod_claims
from kubelint_gpu.kube.dra.resource_api import MOST_DEVICES
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import Failed, Unknown
from kubelint_gpu.scheduler.plugins.dynamic_resources.attempt_state import AttemptState
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.node_likeness import emptied
from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import pre_filter


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
