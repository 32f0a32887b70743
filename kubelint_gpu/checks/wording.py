"""How amounts, nodes and workloads are called in messages."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.quantity import shown
from kubelint_gpu.kube.workload import Workload

_FEW = 4


def counted(number: int, noun: str) -> str:
    """`1 pod`, `2 pods`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def amount(resource: str, number: int) -> str:
    """`1 nvidia.com/gpu`, `16Gi of memory`."""
    if resource == "pods":
        return counted(number, "pod slot")
    return f"{shown(resource, number)} {'of ' if '/' not in resource else ''}{resource}"


def some(names: Sequence[str], noun: str = "node") -> str:
    """A few names in full, many by number: `gpu-1`, `gpu-1 and gpu-2`, `17 nodes (gpu-1, gpu-2, ...)`."""
    if len(names) <= _FEW:
        return listed(names)
    return f"{counted(len(names), noun)} ({', '.join(names[:2])}, ...)"


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(names) <= 1:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def workload_name(workload: Workload) -> str:
    """`Deployment vision/object-tracker`."""
    return f"{workload.kind} {workload.meta.namespace}/{workload.meta.name}"


def owner_name(key: str) -> str:
    """A `kind/namespace/name` as it reads in a sentence."""
    kind, _, rest = key.partition("/")
    return f"{kind} {rest}"
