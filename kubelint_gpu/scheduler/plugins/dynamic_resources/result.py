"""The allocation of a claim, made of the devices that were found for it.

Source: `createNodeSelector` of the structured allocator, 0.36.3.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.dra.claim import AllocatedDevice, Allocation, ResourceClaim
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.selectors import NODE_NAME_FIELD, NodeSelector, NodeSelectorTerm, Requirement
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import Taken
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot, View
from kubelint_gpu.scheduler.plugins.dynamic_resources.extended_resources import SPECIAL_CLAIM

_SHARE = "share"


def allocations_of(
    pod: Pod, claims: Sequence[ResourceClaim], taken: Sequence[Sequence[Taken]], view: View, node: str
) -> tuple[tuple[str, Allocation], ...]:
    """What each claim of a pod has after the pod was put on a node, by claim."""
    special = f"{pod.key}-extended-resources"
    keys = [special if claim.meta.name == SPECIAL_CLAIM else claim.key for claim in claims]
    return tuple([(key, _allocation(found, view, node)) for key, found in zip(keys, taken, strict=True)])


def _allocation(taken: Sequence[Taken], view: View, node: str) -> Allocation:
    devices = tuple(
        AllocatedDevice(
            one.request,
            view.slots[one.slot].id,
            one.admin,
            _SHARE if one.shared else "",
            one.consumed,
            view.slots[one.slot].device.binding_conditions,
            view.slots[one.slot].device.binding_failure_conditions,
        )
        for one in taken
    )
    return Allocation(devices, _selector([view.slots[one.slot] for one in taken], node))


def _selector(slots: Sequence[Slot], node: str) -> NodeSelector | None:
    """The nodes that reach all devices: the chosen one where any is local to it."""
    expressions: list[Requirement] = []
    fields: list[Requirement] = []
    for slot in slots:
        origin, device = slot.origin, slot.device
        local = device.node_name if origin.per_device else origin.node_name
        selector = device.node_selector if origin.per_device else origin.node_selector
        if local or device.binds_to_node:
            term = NodeSelectorTerm(fields=(Requirement(NODE_NAME_FIELD, "In", (node,)),))
            return NodeSelector((term,))
        for found in selector.terms[:1] if selector is not None else ():
            expressions += [one for one in found.expressions if one not in expressions]
            fields += [one for one in found.fields if one not in fields]
    if not expressions and not fields:
        return None
    return NodeSelector((NodeSelectorTerm(tuple(expressions), tuple(fields)),))
