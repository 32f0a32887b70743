"""Which pods keep a waiting pod off a node, by the filter plugin that rejects it."""

from __future__ import annotations

from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.framework.facts import Keeps, never
from kubelint_gpu.scheduler.framework.storage_index import direct_claims
from kubelint_gpu.scheduler.relations import facts_of
from kubelint_gpu.simulation.prepare.volumes import exclusive_claims

ATTACH = "VolumeAttach"
"""In the place of a plugin: the attach/detach controller, which attaches some volumes to one node at a time."""


def rivals(plugin: str, pod: Pod, node: Node, snapshot: Snapshot, resource: str = "", reason: str = "") -> Keeps:
    """Who keeps `pod` off `node`: with a resource those who hold some of it there, else those whom the plugin means.

    Of plugins that look at no other pod it is nobody.
    """
    if resource:
        return lambda other, where: where.name == node.name and (resource == "pods" or _takes(other, resource))
    if plugin == ATTACH:
        mine = exclusive_claims(pod, snapshot.cluster)
        return lambda other, where: where.name != node.name and not mine.isdisjoint(_claims(other))
    found = facts_of(plugin).blockers
    return found(pod, node, snapshot, reason) if found is not None else never


def _takes(pod: Pod, resource: str) -> bool:
    return pod_requests(pod.spec).get(resource, 0) > 0


def _claims(pod: Pod) -> frozenset[str]:
    return frozenset(f"{pod.meta.namespace}/{name}" for name in direct_claims(pod))
