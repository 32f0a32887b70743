"""Which pods keep a waiting pod off a node, by the filter plugin that rejects it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.objects.storage import READ_WRITE_ONCE_POD
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.companions import own_terms
from kubelint_gpu.scheduler.framework.pod_memory import host_ports
from kubelint_gpu.scheduler.plugins.node_ports import conflict
from kubelint_gpu.simulation.prepare.volumes import exclusive_claims

Rival = Callable[[Pod, Node], bool]
"""Whether a pod on a node is one of those that keep the waiting pod away."""

_CLAIM = "persistentVolumeClaim"


def rivals(plugin: str, pod: Pod, node: Node, snapshot: Snapshot, resource: str = "") -> Rival:
    """Who keeps `pod` off `node`: with a resource those who hold some of it there, else those whom the plugin means.

    Of plugins that look at no other pod it is nobody.
    """
    if resource:
        return lambda other, where: where.name == node.name and (resource == "pods" or _takes(other, resource))
    if plugin == "NodePorts":
        wanted = host_ports(pod.spec)
        return lambda other, where: (
            where.name == node.name and any(conflict(one, two) for one in wanted for two in host_ports(other.spec))
        )
    if plugin == "InterPodAffinity":
        return _apart(pod, node, snapshot)
    if plugin == "PodTopologySpread":
        return _spread(pod, node)
    if plugin in ("VolumeRestrictions", "VolumeAttach"):
        beside = plugin == "VolumeRestrictions"
        mine = _of_one_pod(pod, snapshot) if beside else _of_one_node(pod, snapshot)
        return lambda other, where: (
            other.meta.namespace == pod.meta.namespace
            and bool(mine & _claims(other))
            and (beside or where.name != node.name)
        )
    return lambda _other, _where: False


def _takes(pod: Pod, resource: str) -> bool:
    return pod_requests(pod.spec).get(resource, 0) > 0


def _apart(pod: Pod, node: Node, snapshot: Snapshot) -> Rival:
    terms = own_terms(pod, pod.spec.pod_anti_affinity, snapshot)

    def keeps(other: Pod, where: Node) -> bool:
        if any(term.matches(other) and _same(term.key, node, where) for term in terms):
            return True
        if not other.spec.pod_anti_affinity:
            return False
        theirs = own_terms(other, other.spec.pod_anti_affinity, snapshot)
        return any(term.matches(pod) and _same(term.key, node, where) for term in theirs)

    return keeps


def _spread(pod: Pod, node: Node) -> Rival:
    labels = pod.meta.labels
    forbidding = [one for one in pod.spec.spread if one.do_not_schedule and one.selector is not None]

    def alike(other: Pod, keys: Sequence[str]) -> bool:
        return all(other.meta.labels.get(key) == labels[key] for key in keys if key in labels)

    def keeps(other: Pod, where: Node) -> bool:
        return other.meta.namespace == pod.meta.namespace and any(
            one.selector is not None
            and one.selector.matches(other.meta.labels)
            and alike(other, one.match_label_keys)
            and _same(one.topology_key, node, where)
            for one in forbidding
        )

    return keeps


def _same(key: str, node: Node, where: Node) -> bool:
    return key in node.labels and node.labels[key] == where.labels.get(key)


def _of_one_pod(pod: Pod, snapshot: Snapshot) -> frozenset[str]:
    exclusive = {one.key for one in snapshot.cluster.claims if READ_WRITE_ONCE_POD in one.access_modes}
    return frozenset(name for name in _claims(pod) if f"{pod.meta.namespace}/{name}" in exclusive)


def _of_one_node(pod: Pod, snapshot: Snapshot) -> frozenset[str]:
    return frozenset(key.partition("/")[2] for key in exclusive_claims(pod, snapshot.cluster))


def _claims(pod: Pod) -> frozenset[str]:
    return frozenset(str(volume.source.get("claimName", "")) for volume in pod.spec.volumes if volume.kind == _CLAIM)
