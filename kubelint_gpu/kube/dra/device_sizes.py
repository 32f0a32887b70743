"""How large the parts of a device may be: what the cost of an expression is estimated from.

Source: `sizeEstimator` of k8s.io/dynamic-resource-allocation/cel/compile.go, 1.36.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kubelint_gpu.kube.cel.estimated_cost import CostEstimator
from kubelint_gpu.kube.cel.estimated_sizes import Path, Size
from kubelint_gpu.kube.cel.syntax import Node
from kubelint_gpu.kube.cel.types import Type
from kubelint_gpu.values import Value


class _Held(Value):
    """How large a part of a device may be, and what is in it; `*` stands for every other name."""

    most: int
    below: Mapping[str, _Held] = {}


_DOMAIN, _IDENTIFIER, _ENTRIES = 63, 32, 32
_VALUE = _Held(64)
_ATTRIBUTES = _Held(_ENTRIES, {"@keys": _Held(_IDENTIFIER), "@values": _VALUE, "@items": _VALUE, "*": _VALUE})
_CAPACITY = _Held(_ENTRIES, {"@keys": _Held(_IDENTIFIER), "@values": _Held(0), "@items": _Held(0)})
_DEVICE = _Held(
    0,
    {
        "driver": _Held(_DOMAIN),
        "allowMultipleAllocations": _Held(1),
        "attributes": _Held(_ENTRIES, {"@keys": _Held(_DOMAIN), "@values": _ATTRIBUTES, "@items": _ATTRIBUTES}),
        "capacity": _Held(_ENTRIES, {"@keys": _Held(_DOMAIN), "@values": _CAPACITY, "@items": _CAPACITY}),
    },
)


def most_cost(tree: Node, type_of: Callable[[Node], Type]) -> int:
    """What an expression about a device costs at most.

    Raises:
        NotKnown: it holds a call whose cost is not modelled.
    """
    return CostEstimator(type_of, device_size).visit(tree)


def device_size(path: Path) -> Size | None:
    """The largest size of what is at a path from `device`; None where the API sets none."""
    if not path or path[0] != "device":
        return None
    held: _Held | None = _DEVICE
    for name in path[1:]:
        held = held.below.get(name, held.below.get("*")) if held is not None else None
    return Size(0, held.most) if held is not None else None
