"""The plugin: what claims keep a pod from which nodes.

Source: pkg/scheduler/framework/plugins/dynamicresources, 1.34.1 and 1.36.3.
"""

from __future__ import annotations

from collections.abc import Iterable

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import SKIP, Code, Prepared, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.attempt_state import NAME, AttemptState, rejection
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import Objects, Refused, claims_of, objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.extended_resources import asked_resources

NO_CLASS = "request {request}: device class {name} does not exist"
NO_TYPE = "resource claim {claim}, request {request}: unknown request type"
DEALLOCATED = "deallocation of ResourceClaim completed"
DELETED = "deletion of ResourceClaim completed"
STILL_NOT = "still not schedulable"
_PRE_FILTER = f'running PreFilter plugin "{NAME}": '


def pre_enqueue(pod: Pod, snapshot: Snapshot) -> str:
    """Why a pod with claims does not enter the queue; empty where it does."""
    try:
        claims_of(pod, objects_of(snapshot))
    except Refused as reason:
        return str(reason)
    return ""


def pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    """What the plugin makes of a pod: nothing of one without claims."""
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


def post_filter(state: AttemptState, snapshot: Snapshot, rejected: Iterable[tuple[NodeInfo, Status]]) -> str:
    """What PostFilter says of a pod with claims that fits nowhere."""
    if state.releasable(rejected):
        return DEALLOCATED
    if state.stale is not None:
        return DELETED
    return STILL_NOT if snapshot.behaviour.deallocation else ""


def refusal(state: AttemptState, objects: Objects) -> Status | None:
    """Why the claims that are yet to be allocated can have devices nowhere: a class is not there."""
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
