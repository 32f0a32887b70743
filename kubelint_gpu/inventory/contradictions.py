"""Declarations that are well-formed but contradict each other.

GPU labels against allocatable, running pods against allocatable, pods against nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubelint_gpu.inventory.declarations.declared import ANY, Declared
from kubelint_gpu.inventory.declarations.did_you_mean import MOST_HINTS, did_you_mean
from kubelint_gpu.inventory.declarations.inventory import Inventory, InventoryError, warning_about
from kubelint_gpu.inventory.kubernetes_version import devices_minor
from kubelint_gpu.kube.dra.device_class import DeviceClass, classes_by_resource
from kubelint_gpu.kube.dra.resource_api import BETAS_SINCE
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import running_requests
from kubelint_gpu.kube.values.plain import at, mapping, sequence
from kubelint_gpu.kube.values.quantity import shown
from kubelint_gpu.kube.values.selectors import parse_int64

_GPU = "nvidia.com/gpu"
_ALLOCATABLE = ("status", "allocatable")
_GATES = {
    "taints": "DRADeviceTaints",
    "consumesCounters": "DRAPartitionableDevices",
    "allowMultipleAllocations": "DRAConsumableCapacity",
    "bindingConditions": "DRADeviceBindingConditions",
}
# Other device plugins advertise nvidia.com/gpu by rules of their own, while the labels count physical GPUs.
_OTHER_PLUGINS = ("hami.io/", "volcano.sh/")


def placed_pods(inventory: Inventory) -> Iterator[tuple[Declared, Pod]]:
    """Yield the pods that hold resources on a node: bound to a node and not finished."""
    for declared in inventory.objects:
        pod = declared.typed
        if isinstance(pod, Pod) and pod.spec.node_name and not pod.finished:
            yield declared, pod


def usage(pods: Iterable[Pod]) -> dict[str, dict[str, int]]:
    """Return the total requests of the pods on each node, in the scheduler's units; `pods` is the number of pods."""
    used: dict[str, dict[str, int]] = {}
    for pod in pods:
        here = used.setdefault(pod.spec.node_name, {"pods": 0})
        here["pods"] += 1
        for resource, amount in running_requests(pod).items():
            here[resource] = here.get(resource, 0) + amount
    return used


def contradictions(inventory: Inventory) -> tuple[InventoryError, ...]:
    """Return the warnings, in the order of the declarations; equal nodes of a pool give only one."""
    found = [*_labels(inventory), *_overcommitted(inventory), *_lost(inventory), *_pools(inventory)]
    first: dict[object, InventoryError] = {}
    for each in found:
        first.setdefault((each.path, each.span, each.message.partition(":")[2]), each)
    return tuple(first.values())


def _pools(inventory: Inventory) -> Iterator[InventoryError]:
    """Warn of pools of devices that the scheduler does not use completely."""
    if next(inventory.of_kind("ResourceSlice"), None) is None:
        return
    from kubelint_gpu.kube.dra.resource_slice import doubt, newest

    minor = devices_minor(inventory.kubernetes_version)
    found = [(declared.typed, declared) for declared in inventory.of_kind("ResourceSlice")]
    of_name = {one.name: declared for one, declared in found}
    for declared in of_name.values() if minor < BETAS_SINCE else ():
        yield from _dropped(declared, minor)
    for (driver, pool), slices in newest([one for one, _ in found]).items():
        told = doubt(slices, minor)
        if told is not None:
            sentence = f"pool {driver}/{pool}: {': '.join(told)}"
            hint = "capture the inventory again, or declare what is missing" if "slices" in told[0] else ""
            yield warning_about(of_name[slices[0].name], ("spec", "pool"), sentence, hint)


def _dropped(declared: Declared, minor: int) -> Iterator[InventoryError]:
    """Warn of device fields whose feature gate is off by default, because no verdict depends on them."""
    for number, device in enumerate(sequence(at(declared.value, ("spec", "devices")))):
        for key, gate in _GATES.items():
            if mapping(device).get(key):
                why = f"{gate} is off by default in 1.{minor}"
                sentence = f"device {device.get('name')}: its {key} are dropped, or not heeded, as {why}"
                yield warning_about(declared, ("spec", "devices", number, key), sentence)
                return


def _labels(inventory: Inventory) -> Iterator[InventoryError]:
    claimed = _nodes_with_slices(inventory)
    for declared in inventory.objects:
        node = declared.typed
        if isinstance(node, Node) and node.name not in claimed and not _other_plugin(node):
            yield from _of_node(declared, node)


def _of_node(declared: Declared, node: Node) -> Iterator[InventoryError]:
    labels, allocatable = node.labels, node.allocatable
    names = [label.removesuffix(".count") for label in labels if label.startswith("nvidia.com/mig-")]
    names = [name for name in names if f"{name}.count" in labels]
    if labels.get("nvidia.com/mig.strategy") != "mixed":
        names = [_GPU] if f"{_GPU}.count" in labels else []
    for name in names:
        count = parse_int64(labels[f"{name}.count"])
        replicas = parse_int64(labels.get(f"{name}.replicas", "1"))
        if count is None or replicas is None:
            continue
        says = f"{count} of {name}" if replicas == 1 else f"{count} times {replicas} of {name}"
        is_there = allocatable.get(name, 0) + allocatable.get(f"{name}.shared", 0)
        if is_there == count * replicas:
            continue
        shared = f"{name}.shared" in allocatable
        resource = f"{name}.shared" if shared else name
        sentence = f"node {node.name}: its labels say {says}, allocatable says {is_there}"
        hint = "some GPUs may be unhealthy" if is_there < count * replicas else ""
        label = ("metadata", "labels", f"{name}.count")
        related = ((f"the label {name}.count is here", declared, label),)
        yield warning_about(declared, (*_ALLOCATABLE, resource), sentence, hint, related)
    product, replicas = labels.get(f"{_GPU}.product"), parse_int64(labels.get(f"{_GPU}.replicas", "1"))
    if product is None or replicas is None:
        return
    where = ("metadata", "labels", f"{_GPU}.product")
    if product.endswith("-SHARED") and replicas == 1 and f"{_GPU}.replicas" in labels:
        yield warning_about(declared, where, f"node {node.name}: {product} is shared, but {_GPU}.replicas is 1")
    if f"{_GPU}.count" not in labels and not any(name.startswith("nvidia.com/") for name in allocatable):
        sentence = f"node {node.name}: its label says {product}, allocatable has no GPU"
        yield warning_about(declared, where, sentence, "the device plugin may not run there")


def _other_plugin(node: Node) -> bool:
    return any(name.startswith(_OTHER_PLUGINS) for names in (node.allocatable, node.meta.annotations) for name in names)


def _nodes_with_slices(inventory: Inventory) -> frozenset[str]:
    # Where a DRA driver gives out the GPUs, allocatable rightly has none.
    specs = (declared.value.get("spec") for declared in inventory.of_kind("ResourceSlice"))
    names = (spec.get("nodeName") for spec in specs if isinstance(spec, dict))
    return frozenset(name for name in names if isinstance(name, str))


def _overcommitted(inventory: Inventory) -> Iterator[InventoryError]:
    used = usage(pod for _, pod in placed_pods(inventory))
    # what a class serves no node needs to have: pods get devices instead
    served = classes_by_resource([one.typed for one in inventory.objects if isinstance(one.typed, DeviceClass)])
    for declared in inventory.objects:
        node = declared.typed
        if not isinstance(node, Node) or node.name not in used:
            continue
        for resource, amount in sorted(used[node.name].items()):
            if amount > node.allocatable.get(resource, 0) and (resource in node.allocatable or resource not in served):
                has, asked = shown(resource, node.allocatable.get(resource, 0)), shown(resource, amount)
                what = f"{asked} pods run there" if resource == "pods" else f"its pods request {asked} of {resource}"
                sentence = f"node {node.name}: {what}, allocatable is {has}"
                yield warning_about(declared, (*_ALLOCATABLE, resource), sentence)


def _lost(inventory: Inventory) -> Iterator[InventoryError]:
    nodes = {each.name for each in inventory.of_kind("Node")}
    broken = {one.name for one in inventory.unread if one.kind in ("Node", ANY)}
    hints = MOST_HINTS
    for declared, pod in placed_pods(inventory):
        name = pod.spec.node_name
        if name not in nodes and broken.isdisjoint((name, "")):
            sentence = f"pod {pod.key}: it runs on node {name}, which is not declared"
            hints -= 1
            hint = did_you_mean(name, nodes) if hints >= 0 else ""
            yield warning_about(declared, ("spec", "nodeName"), sentence, hint)
