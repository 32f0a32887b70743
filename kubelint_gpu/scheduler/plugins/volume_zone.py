"""Zones and regions that the labels of a bound volume name."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.storage import PersistentVolume
from kubelint_gpu.scheduler.framework.facts import Token
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.framework.plugin import SKIP, Code, Plugin, Prepared, Status, rejected
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.framework.storage_index import CLAIM_NOT_FOUND, direct_claims, storage_index, volume_facts
from kubelint_gpu.values import Value

NAME = "VolumeZone"
REASON = NodeReason("had no available volume zone")
VOLUME_NOT_FOUND = 'persistentvolume "{name}" not found'
CLASS_NOT_FOUND = 'storageclass.storage.k8s.io "{name}" not found'
NO_CLAIM_NAME = "PersistentVolumeClaim had no name"
NO_VOLUME_NAME = "PersistentVolume had no name"
NO_NAMES = "PersistentVolumeClaim had no pv name and storageClass name"
_REJECTED = Status(NAME, Code.UNRESOLVABLE, (REASON,))
_GENERAL = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region": "topology.kubernetes.io/region",
}


class ZoneLabel(Value):
    """A label of a volume and its values, one of which the node must have."""

    key: str
    values: frozenset[str]


def _pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    if not pod.spec.volumes:
        return SKIP
    index = storage_index(snapshot)
    places: list[ZoneLabel] = []
    for name in direct_claims(pod.spec):
        if not name:
            return rejected(NAME, NO_CLAIM_NAME)
        claim = index.claims.get(f"{pod.meta.namespace}/{name}")
        if claim is None:
            return rejected(NAME, CLAIM_NOT_FOUND.format(name=name))
        if claim.volume_name:
            volume = index.volumes.get(claim.volume_name)
            if volume is None:
                return rejected(NAME, VOLUME_NOT_FOUND.format(name=claim.volume_name))
            places += _places(volume)
            continue
        if not claim.class_name:
            return rejected(NAME, NO_NAMES)
        found = index.classes.get(claim.class_name)
        if found is None:
            return rejected(NAME, CLASS_NOT_FOUND.format(name=claim.class_name))
        if not found.wait_for_first_consumer:
            return rejected(NAME, NO_VOLUME_NAME)
    if not places:
        return SKIP
    labels: dict[str, dict[str, Hashable]] = {key: {} for key in _GENERAL}
    for place in places:
        for key in (place.key, _GENERAL[place.key]):
            labels[key].update((value, value) for value in place.values)
    return Prepared(tuple(places), labels=labels)


def _filter(places: tuple[ZoneLabel, ...], node: NodeInfo) -> Status | None:
    labels = node.node.meta.labels
    if not any(key in labels for key in _GENERAL):
        return None
    for place in places:
        if labels.get(place.key, labels.get(_GENERAL[place.key])) not in place.values:
            return _REJECTED
    return None


def _places(volume: PersistentVolume) -> list[ZoneLabel]:
    """The zone labels of a volume; a label with an empty part between its `__` is ignored."""
    found = []
    for key in _GENERAL:
        if key in volume.meta.labels:
            values = [value.strip() for value in volume.meta.labels[key].split("__")]
            if all(values):
                found.append(ZoneLabel(key, frozenset(values)))
    return found


def _token(_pods: Sequence[Pod], _wide: bool, _cluster: Cluster) -> Token | None:
    return lambda node, _: tuple([node.labels.get(key) for key in _GENERAL])


PLUGIN = Plugin(NAME, _pre_filter, _filter, facts=volume_facts(token=_token))
