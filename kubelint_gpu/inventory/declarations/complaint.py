"""Turning what is wrong at a place of an item into an `InventoryError`."""

from __future__ import annotations

from typing import Literal

from kubelint_gpu.documents import Item, Pointer
from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.inventory.declarations.inventory import InventoryError
from kubelint_gpu.values import replace


def error_at(
    item: Item, pointer: Pointer, message: str, hint: str = "", *, role: Literal["key", "value"] = "value"
) -> InventoryError:
    """An error at a field of an item."""
    return InventoryError(item.document.source.path, item.locate(pointer, role), message, hint)


def warning_at(item: Item, pointer: Pointer, message: str, hint: str = "") -> InventoryError:
    """A warning at a field of an item."""
    return InventoryError(item.document.source.path, item.locate(pointer), message, hint, "warning")


def remark_at(item: Item, pointer: Pointer, message: str, hint: str = "") -> InventoryError:
    """A warning at a field of what is said of GPUs; a note about their model, which gives them no more than labels.

    Where a workload asks for such a label, the rule for that label speaks.
    """
    found = warning_at(item, pointer, message, hint)
    return replace(found, severity="note") if pointer[-1] == "model" else found


def error_about(declared: Declared, pointer: Pointer, message: str, hint: str = "") -> InventoryError:
    """An error at the place that decides a field of an object."""
    return InventoryError(declared.item.document.source.path, declared.locate(pointer), message, hint)


def warning_about(
    declared: Declared,
    pointer: Pointer,
    message: str,
    hint: str = "",
    related: tuple[tuple[str, Declared, Pointer], ...] = (),
) -> InventoryError:
    """A warning at the place that decides a field of an object; related places each with a sentence."""
    places = tuple(
        (other.item.document.source.path, other.locate(where), sentence) for sentence, other, where in related
    )
    return InventoryError(
        declared.item.document.source.path, declared.locate(pointer), message, hint, "warning", places
    )
