"""Nodes: labels, taints and what they can give."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.kube.errors import InvalidObject
from kubelint_gpu.kube.fields import Fields
from kubelint_gpu.kube.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.meta import Meta, named, read_meta
from kubelint_gpu.kube.quantity import scheduler_units
from kubelint_gpu.kube.taints import Taint, read_taint
from kubelint_gpu.values import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    """A node; `allocatable` is in the scheduler's units: milli-CPU, and whole units of everything else.

    A resource that is missing is 0, `pods` too.
    """

    meta: Meta
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    allocatable: FrozenMap[str, int] = EMPTY
    kubelet_version: str = ""

    @property
    def name(self) -> str:
        """The node's name."""
        return self.meta.name

    @property
    def labels(self) -> FrozenMap[str, str]:
        """The node's labels."""
        return self.meta.labels


def read_node(value: Any, problems: list[InvalidObject] | None = None) -> Node:
    """A `v1.Node`; where allocatable is absent, capacity stands for it, as API defaulting has it.

    Raises:
        InvalidObject: a field has a value the API server would refuse (only without a list for `problems`).
    """
    fields = Fields(value, (), problems)
    try:
        spec, status = fields.down("spec"), fields.down("status")
        amounts = status.quantities("allocatable" if "allocatable" in status else "capacity")
        return Node(
            meta=read_meta(fields.down("metadata"), namespaced=False),
            taints=tuple(read_taint(child) for child in spec.children("taints")),
            unschedulable=spec.boolean("unschedulable"),
            allocatable=FrozenMap({name: scheduler_units(name, amount) for name, amount in amounts.items()}),
            kubelet_version=status.down("nodeInfo").text("kubeletVersion"),
        )
    except InvalidObject as error:
        raise named(error, value) from None
