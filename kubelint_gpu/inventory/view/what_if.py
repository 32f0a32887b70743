"""The declared cluster without some of its nodes."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.inventory.declarations.inventory import Inventory
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.values import Value, replace


class Without(Value):
    """An inventory after removing nodes, and their pods with them.

    `nodes` are the names of the removed nodes. `unmatched` are the patterns that match no node.
    """

    inventory: Inventory
    nodes: tuple[str, ...]
    unmatched: tuple[str, ...]


def without_nodes(inventory: Inventory, patterns: Sequence[str]) -> Without:
    """Return the inventory without the nodes that match any pattern (`gpu-3`, `gpu-*`), and without their pods.

    A pool with autoscaling can add such a node again.
    """
    from fnmatch import fnmatchcase

    names = [each.name for each in inventory.objects if isinstance(each.typed, Node)]
    gone = {name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)}
    unmatched = tuple(pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in names))
    kept = [each for each in inventory.objects if not _goes(each, gone)]
    pools = tuple(
        replace(pool, nodes=tuple(name for name in pool.nodes if name not in gone)) for pool in inventory.pools
    )
    changed = replace(inventory, objects=tuple(kept), pools=pools, unhealthy=inventory.unhealthy - gone)
    return Without(changed, tuple(name for name in names if name in gone), unmatched)


def _goes(declared: Declared, gone: set[str]) -> bool:
    if isinstance(declared.typed, Node) or declared.kind == "CSINode":
        return declared.name in gone
    return isinstance(declared.typed, Pod) and declared.typed.spec.node_name in gone
