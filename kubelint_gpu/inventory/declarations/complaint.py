"""Creates an `InventoryError` for a problem at a place of an item."""

from __future__ import annotations

from typing import Literal

from kubelint_gpu.documents import Item, Pointer
from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.inventory.declarations.inventory import InventoryError
from kubelint_gpu.values import replace


def error_at(
    item: Item, pointer: Pointer, message: str, hint: str = "", *, role: Literal["key", "value"] = "value"
) -> InventoryError:
    """Return an error at a field of an item."""
    return InventoryError(item.document.source.path, item.locate(pointer, role), message, hint)


def warning_at(item: Item, pointer: Pointer, message: str, hint: str = "") -> InventoryError:
    """Return a warning at a field of an item."""
    return InventoryError(item.document.source.path, item.locate(pointer), message, hint, "warning")


def remark_at(item: Item, pointer: Pointer, message: str, hint: str = "") -> InventoryError:
    """Return a warning at a field of a GPU declaration; only a note for `model`, which affects nothing but labels.

    If a workload asks for such a label, the rule for that label reports it.
    """
    found = warning_at(item, pointer, message, hint)
    return replace(found, severity="note") if pointer[-1] == "model" else found


def error_about(declared: Declared, pointer: Pointer, message: str, hint: str = "") -> InventoryError:
    """Return an error at the place that decides a field of an object."""
    return InventoryError(declared.item.document.source.path, declared.locate(pointer), message, hint)


def warning_about(
    declared: Declared,
    pointer: Pointer,
    message: str,
    hint: str = "",
    related: tuple[tuple[str, Declared, Pointer], ...] = (),
) -> InventoryError:
    """Return a warning at the place that decides a field of an object; each related place has a sentence."""
    places = tuple(
        (other.item.document.source.path, other.locate(where), sentence) for sentence, other, where in related
    )
    return InventoryError(
        declared.item.document.source.path, declared.locate(pointer), message, hint, "warning", places
    )
