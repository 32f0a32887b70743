"""The declared cluster: its schema, its loading, its table."""

from __future__ import annotations

from kubelint_gpu.inventory.contradictions import contradictions
from kubelint_gpu.inventory.declarations.inventory import ONE_PER_CONTAINER, UNHEALTHY, Inventory, InventoryError
from kubelint_gpu.inventory.loading import load
from kubelint_gpu.inventory.sentences import schema_text

__all__ = [
    "ONE_PER_CONTAINER",
    "UNHEALTHY",
    "Inventory",
    "InventoryError",
    "contradictions",
    "load",
    "schema_text",
]
