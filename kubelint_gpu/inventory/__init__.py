"""The declared cluster: its schema, its loading, its table."""

from __future__ import annotations

from kubelint_gpu.inventory.contradictions import contradictions
from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.inventory.declarations.inventory import (
    ONE_PER_CONTAINER,
    POOL,
    UNHEALTHY,
    UNLIMITED,
    Admission,
    Autoscaling,
    Inventory,
    InventoryError,
    Pool,
    Scheduler,
)
from kubelint_gpu.inventory.loading import load
from kubelint_gpu.inventory.sentences import schema_text

__all__ = [
    "ONE_PER_CONTAINER",
    "POOL",
    "UNHEALTHY",
    "UNLIMITED",
    "Admission",
    "Autoscaling",
    "Declared",
    "Inventory",
    "InventoryError",
    "Pool",
    "Scheduler",
    "contradictions",
    "load",
    "schema_text",
]
