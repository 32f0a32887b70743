"""What running pods hold on each node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.inventory.declarations.inventory import Inventory
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import running_requests


def placed_pods(inventory: Inventory) -> Iterator[tuple[Declared, Pod]]:
    """The pods that hold something on a node: bound to it and not finished."""
    for declared in inventory.objects:
        pod = declared.typed
        if isinstance(pod, Pod) and pod.spec.node_name and not pod.finished:
            yield declared, pod


def usage(pods: Iterable[Pod]) -> dict[str, dict[str, int]]:
    """By node name what its pods request in all, in the scheduler's units; `pods` is their number."""
    used: dict[str, dict[str, int]] = {}
    for pod in pods:
        here = used.setdefault(pod.spec.node_name, {"pods": 0})
        here["pods"] += 1
        for resource, amount in running_requests(pod).items():
            here[resource] = here.get(resource, 0) + amount
    return used
