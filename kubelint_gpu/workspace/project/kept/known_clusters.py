"""Clusters that an earlier run has read: they are read again only where something is judged anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.cache.plain_values import NotPlain, from_text, to_text
from kubelint_gpu.documents import Reading, Span
from kubelint_gpu.inventory.declarations.inventory import InventoryError
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.project.kept.known_files import program

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store
    from kubelint_gpu.inventory import Inventory

_CLASSES: dict[str, type] = {"InventoryError": InventoryError, "Span": Span}


class KnownCluster(ClusterContext):
    """A cluster without errors and with so many nodes; `load` reads it when more is asked for."""

    def __init__(
        self, load: Callable[[], Inventory], nodes: int, readings: Sequence[Reading], errors: Sequence[InventoryError]
    ) -> None:
        super().__init__(None, readings, errors)
        self._load = load
        self._nodes = nodes

    @cached_property
    def inventory(self) -> Inventory:
        """What was declared, read now."""
        return self._load()

    @property
    def node_count(self) -> int:
        """How many nodes are declared."""
        return self._nodes

    @property
    def usable(self) -> bool:
        """What is wrong is not kept."""
        return True


def known_cluster(store: Store, readings: Sequence[Reading], load: Callable[[], Inventory]) -> ClusterContext | None:
    """The cluster that some files declare, as an earlier run has read it; None where none has."""
    key = _key(readings)
    text = store.get(key) if key is not None else None
    if text is None:
        return None
    try:
        nodes, errors = from_text(text, _CLASSES)
        return KnownCluster(load, int(nodes), readings, tuple(errors))
    except (NotPlain, TypeError, ValueError):
        return None


def keep_cluster(store: Store, world: ClusterContext) -> None:
    """Write down what is known of a cluster, if nothing of it is wrong."""
    key = _key(world.readings)
    if key is not None and world.usable and not any(one.severity == "error" for one in world.errors):
        store.put(key, to_text((world.node_count, world.errors)))


def _key(readings: Sequence[Reading]) -> str | None:
    digests = [one.source.digest for one in readings if one.source is not None and not one.problems]
    return digest_of(("cluster", program(), *digests)) if len(digests) == len(readings) else None
