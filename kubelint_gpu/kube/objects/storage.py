"""Claims for storage, volumes that satisfy them, storage classes, and CSI objects: what nodes take and what is left."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubelint_gpu.kube.objects.meta import Meta, read_meta, reader
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap, freeze
from kubelint_gpu.kube.values.quantity import ONE
from kubelint_gpu.kube.values.selectors import (
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    Requirement,
    read_label_selector,
    read_node_selector,
)
from kubelint_gpu.values import Value, replace

BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
DEFAULT_CLASS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
NO_PROVISIONER = "kubernetes.io/no-provisioner"
READ_WRITE_ONCE = "ReadWriteOnce"
READ_WRITE_ONCE_POD = "ReadWriteOncePod"

_MODES = (READ_WRITE_ONCE, "ReadOnlyMany", "ReadWriteMany", READ_WRITE_ONCE_POD)
_VOLUME_MODES = ("Filesystem", "Block")
_NOT_SOURCES = frozenset({"capacity", "claimRef", "nodeAffinity"})
VOLUME_CLAIMS = "persistentvolumeclaims"
_COUNT, _STORAGE = f"count/{VOLUME_CLAIMS}", "requests.storage"
_OF_CLASS = ".storageclass.storage.k8s.io/"


class PersistentVolumeClaim(Value):
    """A PersistentVolumeClaim; `request` is thousandths of a byte.

    `storage_class` is None if the claim names none, which is different from naming the empty one.
    """

    meta: Meta
    access_modes: tuple[str, ...] = ()
    volume_name: str = ""
    storage_class: str | None = None
    request: int | None = None
    volume_mode: str = "Filesystem"
    selector: LabelSelector | None = None
    attributes_class: str = ""
    phase: str = "Pending"

    @property
    def key(self) -> str:
        """`namespace/name`."""
        return f"{self.meta.namespace}/{self.meta.name}"

    @property
    def for_one_pod(self) -> bool:
        """Whether one pod can use it at a time."""
        return READ_WRITE_ONCE_POD in self.access_modes

    @property
    def class_name(self) -> str:
        """The class it asks for, empty without one."""
        return self.storage_class or ""

    @property
    def bound(self) -> bool:
        """Whether claim and volume are permanently bound to each other, as the volume controller marks it."""
        return bool(self.volume_name) and BIND_COMPLETED in self.meta.annotations

    @property
    def selected_node(self) -> str | None:
        """The node for which the scheduler asked a provisioner to create a volume."""
        return self.meta.annotations.get(SELECTED_NODE)


class ClaimReference(Value):
    """The claim that a volume is reserved for; with an empty `uid` only the name counts."""

    namespace: str
    name: str
    uid: str = ""


class PersistentVolume(Value):
    """A PersistentVolume; `capacity` is thousandths of a byte.

    `kind` is the field name of its source (`csi`, `local`, `awsElasticBlockStore` …) and `source` the content of that
    field.
    """

    meta: Meta
    capacity: int = 0
    access_modes: tuple[str, ...] = ()
    storage_class: str = ""
    claim: ClaimReference | None = None
    node_affinity: NodeSelector | None = None
    volume_mode: str = "Filesystem"
    attributes_class: str = ""
    phase: str = "Available"
    kind: str = ""
    source: FrozenMap[str, Any] = EMPTY

    def reserved_for(self, claim: PersistentVolumeClaim) -> bool:
        """Whether the volume names this claim; without a namespace, one of any namespace."""
        reference = self.claim
        return (
            reference is not None
            and (reference.namespace or claim.meta.namespace, reference.name) == (claim.meta.namespace, claim.meta.name)
            and reference.uid in ("", claim.meta.uid)
        )

    def after(self, before: PersistentVolume | None) -> PersistentVolume:
        """The volume after an update: it keeps the phase and the claim of `before`, if there is one."""
        if before is None:
            return self
        return replace(self, phase=before.phase, claim=before.claim if before.claim is not None else self.claim)

    def reachable_from(self, labels: FrozenMap[str, str]) -> bool:
        """Whether its node affinity matches a node with these labels; the node's name is ignored."""
        return self.node_affinity is None or self.node_affinity.matches(labels, None)


class StorageClass(Value):
    """A StorageClass; `topologies` is `allowedTopologies`, None if every node is allowed."""

    name: str
    provisioner: str = ""
    wait_for_first_consumer: bool = False
    topologies: NodeSelector | None = None
    default: bool = False

    @property
    def provisions(self) -> bool:
        """Whether volumes of the class are provisioned for claims."""
        return self.provisioner not in ("", NO_PROVISIONER)

    def allows(self, labels: FrozenMap[str, str]) -> bool:
        """Whether volumes of the class can be provisioned for a node with these labels."""
        return self.topologies is None or self.topologies.matches(labels, None)


def with_default_class(claim: PersistentVolumeClaim, classes: Iterable[StorageClass]) -> PersistentVolumeClaim:
    """The claim with the default class, which admission sets if it names none."""
    if claim.storage_class is not None or claim.volume_name:
        return claim
    default = next((found.name for found in classes if found.default), None)
    return claim if default is None else replace(claim, storage_class=default)


@reader
def read_persistent_volume_claim(fields: Fields) -> PersistentVolumeClaim:
    """A `v1.PersistentVolumeClaim`."""
    meta = read_meta(fields.down("metadata"))
    spec, status = fields.down("spec"), fields.down("status")
    named_class = spec.name("storageClassName") if "storageClassName" in spec else None
    return PersistentVolumeClaim(
        meta=meta,
        access_modes=_access_modes(spec),
        volume_name=spec.text("volumeName"),
        storage_class=meta.annotations.get(BETA_CLASS, named_class),
        request=spec.down("resources").quantities("requests").get("storage"),
        volume_mode=spec.choice("volumeMode", _VOLUME_MODES, "Filesystem"),
        selector=read_label_selector(spec.child("selector")),
        attributes_class=spec.text("volumeAttributesClassName"),
        phase=status.text("phase", "Pending"),
    )


@reader
def read_persistent_volume(fields: Fields) -> PersistentVolume:
    """A `v1.PersistentVolume`.

    Without a status it has the phase that the volume controller soon sets: bound if it names a claim, else available.
    """
    meta = read_meta(fields.down("metadata"), namespaced=False)
    spec, status = fields.down("spec"), fields.down("status")
    reference = spec.child("claimRef")
    claim = None
    if reference is not None:
        claim = ClaimReference(reference.text("namespace"), reference.text("name"), reference.text("uid"))
    required = spec.down("nodeAffinity").child("required")
    kind = next((key for key, found in spec.value.items() if isinstance(found, dict) and key not in _NOT_SOURCES), "")
    return PersistentVolume(
        meta=meta,
        capacity=spec.quantities("capacity").get("storage", 0),
        access_modes=_access_modes(spec),
        storage_class=meta.annotations.get(BETA_CLASS, spec.name("storageClassName")),
        claim=claim,
        node_affinity=None if required is None else read_node_selector(required),
        volume_mode=spec.choice("volumeMode", _VOLUME_MODES, "Filesystem"),
        attributes_class=spec.text("volumeAttributesClassName"),
        phase=status.text("phase", "Available" if claim is None else "Bound"),
        kind=kind,
        source=freeze(spec.value[kind]) if kind else EMPTY,
    )


@reader
def read_storage_class(fields: Fields) -> StorageClass:
    """A `storage.k8s.io/v1 StorageClass`; the default binding mode is Immediate."""
    meta = read_meta(fields.down("metadata"), namespaced=False)
    mode = fields.choice("volumeBindingMode", ("Immediate", "WaitForFirstConsumer"), "Immediate")
    terms = tuple([_topology(term) for term in fields.children("allowedTopologies")])
    return StorageClass(
        name=meta.name,
        provisioner=fields.text("provisioner"),
        wait_for_first_consumer=mode == "WaitForFirstConsumer",
        topologies=NodeSelector(terms) if terms else None,
        default="true" in map(meta.annotations.get, DEFAULT_CLASS),
    )


def _topology(term: Fields) -> NodeSelectorTerm:
    found = term.children("matchLabelExpressions")
    return NodeSelectorTerm(tuple([Requirement(one.text("key"), "In", one.texts("values")) for one in found]))


def _access_modes(fields: Fields) -> tuple[str, ...]:
    modes = fields.texts("accessModes")
    for index, mode in enumerate(modes):
        if mode not in _MODES:
            fields.report(
                ("accessModes", index), f'"{mode}" is not an access mode; use one of {", ".join(_MODES)}', mode
            )
    return modes


def of_claims(key: str) -> bool:
    """Whether a key of `spec.hard` counts PersistentVolumeClaims."""
    return key in (VOLUME_CLAIMS, _COUNT, _STORAGE) or _OF_CLASS in key


def claims_charge(claims: Iterable[PersistentVolumeClaim], key: str) -> int:
    """The charge of claims under a key of a ResourceQuota, in thousandths."""
    return sum(claim_charge(one).get(key, 0) for one in claims)


def claim_charge(claim: PersistentVolumeClaim) -> FrozenMap[str, int]:
    """The charge of a claim, with its default class filled in, to a ResourceQuota, per key, in thousandths.

    Source: pkg/quota/v1/evaluator/core/persistent_volume_claims.go, 1.34.
    """
    charge = {VOLUME_CLAIMS: ONE, _COUNT: ONE, _STORAGE: claim.request or 0}
    if claim.class_name:
        of_class = claim.class_name + _OF_CLASS
        charge |= {of_class + VOLUME_CLAIMS: ONE, of_class + _STORAGE: charge[_STORAGE]}
    return FrozenMap(charge)


MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins"


class CSINode(Value):
    """The CSI drivers of a node.

    `limits` is the number of volumes of each driver with a limit.
    `migrated` are in-tree plugins whose volumes a CSI driver serves on this node.
    """

    name: str
    limits: FrozenMap[str, int] = EMPTY
    migrated: tuple[str, ...] = ()


class CSIDriver(Value):
    """A CSIDriver; with `storage_capacity` the scheduler checks the storage capacity."""

    name: str
    storage_capacity: bool = False


class CSIStorageCapacity(Value):
    """Storage for volumes of a class on the nodes that `topology` matches; None matches none.

    `largest` is the size of the largest possible volume, in thousandths of a byte, None if unknown.
    """

    storage_class: str
    topology: LabelSelector | None = None
    largest: int | None = None


class VolumeAttachment(Value):
    """A volume that is attached to a node, or about to be."""

    name: str
    attacher: str
    node_name: str
    volume_name: str = ""


@reader
def read_csi_node(fields: Fields) -> CSINode:
    """A `storage.k8s.io/v1 CSINode`."""
    meta = read_meta(fields.down("metadata"), namespaced=False)
    limits = {}
    for driver in fields.down("spec").children("drivers"):
        count = driver.down("allocatable").optional_integer("count", 0)
        if count is not None:
            limits[driver.text("name")] = count
    migrated = meta.annotations.get(MIGRATED_PLUGINS, "")
    return CSINode(meta.name, FrozenMap(limits), tuple(migrated.split(",")) if migrated else ())


@reader
def read_csi_driver(fields: Fields) -> CSIDriver:
    """A `storage.k8s.io/v1 CSIDriver`."""
    name = read_meta(fields.down("metadata"), namespaced=False).name
    return CSIDriver(name, fields.down("spec").boolean("storageCapacity"))


@reader
def read_csi_storage_capacity(fields: Fields) -> CSIStorageCapacity:
    """A `storage.k8s.io/v1 CSIStorageCapacity`; the maximum volume size has precedence over the capacity."""
    largest = fields.quantity("maximumVolumeSize")
    return CSIStorageCapacity(
        storage_class=fields.text("storageClassName"),
        topology=read_label_selector(fields.child("nodeTopology")),
        largest=fields.quantity("capacity") if largest is None else largest,
    )


@reader
def read_volume_attachment(fields: Fields) -> VolumeAttachment:
    """A `storage.k8s.io/v1 VolumeAttachment`."""
    spec = fields.down("spec")
    return VolumeAttachment(
        name=read_meta(fields.down("metadata"), namespaced=False).name,
        attacher=spec.text("attacher"),
        node_name=spec.text("nodeName"),
        volume_name=spec.down("source").text("persistentVolumeName"),
    )
