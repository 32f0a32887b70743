"""Declarations that cannot both hold: the same object twice, two default classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubelint_gpu.inventory.declarations.inventory import InventoryError
from kubelint_gpu.kube.objects.cluster import identity
from kubelint_gpu.kube.objects.priority import PriorityClass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubelint_gpu.inventory.declarations.declared import Declared

_NAME = ("metadata", "name")


def inconsistencies(objects: Iterable[Declared]) -> Iterator[InventoryError]:
    """Errors in how declarations go together."""
    first: dict[tuple[str, str, str], Declared] = {}
    default: Declared | None = None
    for declared in objects:
        if not declared.name:
            continue
        earlier = first.setdefault(identity(declared.value), declared)
        if earlier is not declared:
            sentence = f"{declared.kind} {declared.name} is declared twice"
            yield _twice(declared, earlier, sentence, "it is also declared here")
        if isinstance(declared.typed, PriorityClass) and declared.typed.global_default:
            if default is not None and default.name != declared.name:
                sentence = f"priority classes {default.name} and {declared.name} are both globalDefault"
                yield _twice(declared, default, sentence, "the other one is here", ("globalDefault",))
            default = default or declared


def _twice(
    declared: Declared, earlier: Declared, sentence: str, also: str, pointer: tuple[str, ...] = _NAME
) -> InventoryError:
    return InventoryError(
        declared.item.document.source.path,
        declared.locate(pointer),
        sentence,
        related=((earlier.item.document.source.path, earlier.locate(pointer), also),),
    )
