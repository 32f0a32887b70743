"""The declared cluster as a picture: equal nodes folded, with the holders of GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubelint_gpu.findings.picture import ClassPicture, ClusterPicture, Holding, NodeGroup, Row
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.view.node_rows import DeviceCount, NodeRow, amount_text, node_classes, node_devices
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.views.rollout_view import device_rows, folded, row, settled
from kubelint_gpu.workspace.cluster_context import ClusterContext

MOST_CLASSES, MOST_GROUPS = 24, 12
_PRODUCT = "nvidia.com/gpu.product"


def cluster_picture(world: ClusterContext) -> ClusterPicture | None:
    """The cluster; None without a usable inventory."""
    inventory = world.inventory
    if inventory is None or not world.usable:
        return None
    running = (pod for pod in world.base.pods if not pod.finished)
    here = grouped((pod.spec.node_name, pod) for pod in running if pod.spec.node_name)
    classes = node_classes(inventory)
    devices = node_devices(world.base, world.base.version, world.base.nodes)
    return ClusterPicture(
        world.name or inventory.name,
        inventory.kubernetes_version or "",
        sum(len(found.nodes) for found in classes),
        inventory.complete,
        tuple(_class(found, here, devices) for found in classes[:MOST_CLASSES]),
        sum(len(found.nodes) for found in classes[MOST_CLASSES:]),
    )


def _class(
    found: NodeRow, here: Mapping[str, list[Pod]], devices: Mapping[str, tuple[DeviceCount, ...]]
) -> ClassPicture:
    rows = tuple(row(name, found.allocatable[name], found.labels) for name in found.accelerators)
    groups: dict[tuple[tuple[Row, ...], tuple[Holding, ...], int], list[str]] = {}
    for name in found.nodes:
        pods, mine = here.get(name, []), (*rows, *device_rows(name, devices.get(name, ())))
        holdings = tuple(settled(pods, mine))
        others = sum(not pod.is_claim for pod in pods) - sum(one.count for one in holdings)
        groups.setdefault((mine, holdings, others), []).append(name)
    ranked = sorted(groups.items(), key=lambda group: -sum(sum(one.amounts) for one in group[0][1]))
    told = tuple(NodeGroup(folded(names), len(names), *group) for group, names in ranked[:MOST_GROUPS])
    return ClassPicture(
        folded(found.nodes),
        len(found.nodes),
        _devices(found, rows),
        "" if "cpu" in found.unlimited else amount_text("cpu", found.allocatable.get("cpu", 0)),
        "" if "memory" in found.unlimited else amount_text("memory", found.allocatable.get("memory", 0)),
        found.taints,
        found.unhealthy,
        found.unschedulable,
        told,
        sum(len(names) for _, names in ranked[MOST_GROUPS:]),
    )


def _devices(found: NodeRow, rows: Sequence[Row]) -> str:
    """`2 x NVIDIA-A100-PCIE-40GB`, and other devices."""
    product = found.labels.get(_PRODUCT, "")
    told = []
    for one in rows:
        plain = one.resource.removeprefix("nvidia.com/")
        name = product if product and plain in ("gpu", "gpu.shared") else one.resource
        told.append(f"{one.total} \u00d7 {name}")
    told += [f"{number} \u00d7 {label}" for label, number in found.devices]
    return ", ".join(told)
