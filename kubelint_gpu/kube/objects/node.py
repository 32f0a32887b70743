"""Nodes: labels, taints and allocatable resources."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from kubelint_gpu.kube.objects.meta import Meta, read_meta, reader
from kubelint_gpu.kube.objects.taints import UNSCHEDULABLE_KEY, Taint, read_taint
from kubelint_gpu.kube.values.fields import INT32, Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import scheduler_units
from kubelint_gpu.values import Value, replace


class Node(Value, dict=True):
    """A node; `allocatable` is in the scheduler's units: milli-CPU, and whole units of everything else.

    A missing resource is 0, also `pods`.
    """

    meta: Meta
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    allocatable: FrozenMap[str, int] = EMPTY
    kubelet_version: str = ""

    @cached_property
    def name(self) -> str:
        """The node's name."""
        return self.meta.name

    @property
    def labels(self) -> FrozenMap[str, str]:
        """The node's labels."""
        return self.meta.labels

    def with_plenty(self, resources: Iterable[str]) -> Node:
        """The node with enough of some resources."""
        return replace(self, allocatable=FrozenMap({**self.allocatable, **dict.fromkeys(resources, INT32)}))


@reader
def read_node(fields: Fields) -> Node:
    """A `v1.Node`; if allocatable is absent, it defaults to capacity, as in the API."""
    spec, status = fields.down("spec"), fields.down("status")
    amounts = status.quantities("allocatable" if "allocatable" in status else "capacity")
    return Node(
        meta=read_meta(fields.down("metadata"), namespaced=False),
        taints=tuple(read_taint(child) for child in spec.children("taints")),
        unschedulable=spec.boolean("unschedulable"),
        allocatable=FrozenMap({name: scheduler_units(name, amount) for name, amount in amounts.items()}),
        kubelet_version=status.down("nodeInfo").text("kubeletVersion"),
    )


def with_cordon_taint(value: dict[str, Any]) -> dict[str, Any]:
    """A `v1.Node` with the taint of a cordoned node added if it is missing; other nodes are unchanged.

    Behaviour: the node lifecycle controller of kube-controller-manager, 1.34, taints nodes with `spec.unschedulable`.
    """
    spec = value.get("spec")
    taints = spec.get("taints") or [] if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or spec.get("unschedulable") is not True or not isinstance(taints, list):
        return value
    taint = {"key": UNSCHEDULABLE_KEY, "effect": "NoSchedule"}
    if any(isinstance(one, dict) and taint.items() <= one.items() for one in taints):
        return value
    return {**value, "spec": {**spec, "taints": [*taints, taint]}}
