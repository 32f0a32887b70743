"""Which pods hold what a pod asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.dra.pod_claims import held_devices
from kubelint_gpu.kube.objects.meta import Owner
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.pod_memory import PodMemory
from kubelint_gpu.values import Value

PlacedPod = tuple[Pod, str]
"""A pod and the name of the node that it is on."""


class Holder(Value):
    """Pods of one owner that hold something.

    Attributes:
        owner: their owner.
        pods: `namespace/name` of each, sorted.
        nodes: the names of their nodes, sorted.
        amounts: what they hold together of the resources in question, in the scheduler's units.
        priority: their priority.
        lower: whether that is lower than the pod's, so that it might preempt them.
        terminating: whether they are being deleted.
        devices: the devices that are allocated to them.
    """

    owner: Owner
    pods: tuple[str, ...]
    nodes: tuple[str, ...]
    amounts: Mapping[str, int]
    priority: int
    lower: bool
    terminating: bool = False
    devices: tuple[str, ...] = ()


def by_owner(placed: Iterable[PlacedPod]) -> dict[Owner, list[PlacedPod]]:
    """Pods by owner, in the order of the owners."""
    found = grouped((pod.meta.maker, (pod, node)) for pod, node in placed)
    return {owner: found[owner] for owner in sorted(found)}


def holders(
    placed: Iterable[PlacedPod], resources: Sequence[str], priority: int, memory: PodMemory
) -> tuple[Holder, ...]:
    """Group pods by owner with their resources, the largest holders first.

    The resource `pods` counts the pods; `priority` is that of the waiting pod.
    """
    groups: dict[tuple[Owner, int, bool], list[PlacedPod]] = {}
    for pod, node in placed:
        key = (pod.meta.maker, pod.spec.priority or 0, pod.meta.terminating)
        groups.setdefault(key, []).append((pod, node))
    found = []
    for (owner, own_priority, terminating), members in groups.items():
        amounts = dict.fromkeys(resources, 0)
        for pod, _ in members:
            for name, amount in memory.load(pod).requests:
                if name in amounts:
                    amounts[name] += amount
        if "pods" in amounts:
            amounts["pods"] = sum(not pod.is_claim for pod, _ in members)
        found.append(
            Holder(
                owner,
                tuple(sorted(pod.key for pod, _ in members)),
                tuple(sorted({node for _, node in members})),
                {name: amount for name, amount in amounts.items() if amount},
                own_priority,
                own_priority < priority,
                terminating,
                tuple([str(device) for pod, _ in members for device in held_devices(pod)]),
            )
        )

    def weight(holder: Holder) -> tuple[object, ...]:
        return (*[-holder.amounts.get(name, 0) for name in resources], -len(holder.pods), holder.owner, holder.priority)

    return tuple(sorted(found, key=weight))
