"""The plugin's extension points: which claims keep a pod off which nodes.

Source: pkg/scheduler/framework/plugins/dynamicresources, 1.34.1 and 1.36.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubelint_gpu.kube.dra.claim import ClaimSpec, ResourceClaim
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import SKIP, Code, Prepared, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import Effort
from kubelint_gpu.scheduler.plugins.dynamic_resources.attempt_state import NAME, AttemptState, is_releasable, rejection
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import (
    Objects,
    Refused,
    asked_resources,
    claims_of,
    kept_spec,
    objects_of,
)
from kubelint_gpu.values import replace

NO_CLASS = "request {request}: device class {name} does not exist"
NO_TYPE = "resource claim {claim}, request {request}: unknown request type"
DEALLOCATED = "deallocation of ResourceClaim completed"
DELETED = "deletion of ResourceClaim completed"
STILL_NOT = "still not schedulable"
_POD = "pod"
_PRE_FILTER = f'running PreFilter plugin "{NAME}": '


def pre_enqueue(pod: Pod, snapshot: Snapshot) -> str:
    """Why a pod with claims does not enter the queue; empty if it does."""
    try:
        claims_of(pod, objects_of(snapshot))
    except Refused as reason:
        return str(reason)
    return ""


def pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    """The plugin's PreFilter result; a pod without claims is skipped."""
    behaviour, cluster = snapshot.behaviour, snapshot.cluster
    if not behaviour.dynamic_resources or not (pod.spec.resource_claims or cluster.device_classes):
        return SKIP
    objects = objects_of(snapshot)
    asked = asked_resources(pod.spec, objects.by_resource, pod_level=behaviour.pod_level_resources)
    if not pod.spec.resource_claims and not asked:
        return SKIP
    try:
        claims = claims_of(pod, objects)
    except Refused as reason:
        return Prepared(status=rejection(str(reason)))
    if not claims and not asked:
        return SKIP
    state = AttemptState(pod, snapshot, claims, asked)
    refused = refusal(state, objects)
    return Prepared(state, by_node=state.key, sight=state.sight) if refused is None else Prepared(status=refused)


def state_of(pod: Pod, snapshot: Snapshot) -> AttemptState | None:
    """The state of a pod's claims in an attempt; None if it needs none, or if no claim can be allocated."""
    found = pre_filter(pod, snapshot).state
    return found if isinstance(found, AttemptState) else None


def state_of_claims(specs: Sequence[ClaimSpec], snapshot: Snapshot, effort: Effort) -> AttemptState:
    """The state of an attempt for an invented pod that only has such claims."""
    features = objects_of(snapshot).features
    kept = [kept_spec(spec, features) for spec in specs]
    claims = tuple([ResourceClaim(Meta(f"claim-{place}", _POD), spec) for place, spec in enumerate(kept)])
    return AttemptState(Pod(Meta(_POD, _POD), PodSpec()), snapshot, claims, (), effort)


def post_filter(state: AttemptState, snapshot: Snapshot, rejected: Iterable[tuple[NodeInfo, Status]]) -> str:
    """The PostFilter message for a pod with claims that fits nowhere."""
    if is_releasable(state.pod, state.claims, state.allocations, rejected, snapshot):
        return DEALLOCATED
    if state.stale is not None:
        return DELETED
    return STILL_NOT if snapshot.behaviour.deallocation else ""


def reserve(pod: Pod, snapshot: Snapshot, node_name: str) -> tuple[Pod, ...]:
    """The pod with the possible allocations on a node; unchanged if its claims get no devices there.

    There can be several if a release walks pools and slices in no fixed order.

    Raises:
        KeyError: there is no such node.
    """
    node = snapshot.node(node_name)
    if node is None:
        raise KeyError(node_name)
    bare = replace(pod, allocations=()) if pod.allocations else pod
    state = state_of(bare, snapshot)
    ways = state.allocate(node) if state is not None else ()
    return tuple([replace(bare, allocations=allocations) for allocations in ways]) or (bare,)


def refusal(state: AttemptState, objects: Objects) -> Status | None:
    """Why the unallocated claims can get devices on no node: a class does not exist."""
    for claim in state.wanted:
        for request in claim.spec.requests:
            queries = (request.exactly,) if request.exactly is not None else request.first_available
            if not queries:
                return rejection(NO_TYPE.format(claim=claim.key, request=request.name))
            for query in queries:
                name = request.name if request.exactly is not None else f"{request.name}/{query.name}"
                if not query.device_class:
                    reason = f"{_PRE_FILTER}request {name}: unsupported request type"
                    return Status(NAME, Code.ERROR, (reason,))
                if query.device_class not in objects.classes:
                    return rejection(NO_CLASS.format(request=name, name=query.device_class))
    return None
