"""CSI objects: how many volumes a node takes, and how much storage is left."""

from __future__ import annotations

from kubelint_gpu.kube.objects.meta import read_meta, reader
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.selectors import LabelSelector, read_label_selector
from kubelint_gpu.values import Value

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
