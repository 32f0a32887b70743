"""Declarations that cannot both hold: the same object twice and not the same way, two default classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.inventory.declarations.inventory import InventoryError
from kubelint_gpu.inventory.objects.declared_nodes import pool_of_template
from kubelint_gpu.kube.objects.cluster import identity
from kubelint_gpu.kube.objects.priority import PriorityClass
from kubelint_gpu.kube.values.fields import is_subdomain
from kubelint_gpu.values import replace

_NAME = ("metadata", "name")


def without_repetitions(objects: Iterable[Declared]) -> tuple[Declared, ...]:
    """The objects; a Namespace that is declared more than once and nowhere differently is one, with all that is said.

    Lists of namespaces and the objects themselves often stand in different files, each with a part of the labels.
    """
    places: dict[str, int] = {}
    found: list[Declared] = []
    for declared in objects:
        place = places.setdefault(declared.name, len(found)) if declared.kind == "Namespace" else len(found)
        if place < len(found):
            value = _united(found[place].value, declared.value)
            if value is not None:
                found[place] = replace(found[place], value=value)
                continue
        found.append(declared)
    return tuple(found)


def _united(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    """What two declarations say together; None where they contradict each other."""
    found = dict(one)
    for key, value in other.items():
        mine = found.setdefault(key, value)
        if isinstance(mine, dict) and isinstance(value, dict):
            both = _united(mine, value)
            if both is None:
                return None
            found[key] = both
        elif mine != value:
            return None
    return found


def is_well_named(declared: Declared) -> bool:
    """Whether the API server takes an object by its name, as far as names are looked at: those of nodes."""
    return declared.kind != "Node" or is_subdomain(declared.name)


def misnamed(objects: Iterable[Declared]) -> Iterator[tuple[Declared, InventoryError]]:
    """Errors in names, of those that were made of one that is written the first."""
    told: set[object] = set()
    for declared in objects:
        if declared.name and not is_well_named(declared):
            path, span = declared.item.document.source.path, declared.locate(_NAME)
            if (path, span) not in told:
                told.add((path, span))
                sentence = f'"{declared.name}" is not the name of a node: lower-case letters, digits, "-", "."'
                yield declared, InventoryError(path, span, sentence, of_object=True)


def inconsistencies(objects: Iterable[Declared]) -> Iterator[tuple[Declared, InventoryError]]:
    """Errors in how declarations go together, each with the one that comes later."""
    first: dict[tuple[str, str, str], Declared] = {}
    default: Declared | None = None
    for declared in objects:
        if not declared.name:
            continue
        earlier = first.setdefault(identity(declared.value), declared)
        if earlier is not declared:
            sentence = f"{pool_of_template(declared) or f'{declared.kind} {declared.name}'} is declared twice"
            yield declared, _twice(declared, earlier, sentence, "it is also declared here")
        if isinstance(declared.typed, PriorityClass) and declared.typed.global_default:
            if default is not None and default.name != declared.name:
                sentence = f"priority classes {default.name} and {declared.name} are both globalDefault"
                yield declared, _twice(declared, default, sentence, "the other one is here", ("globalDefault",))
            default = default or declared


def _twice(
    declared: Declared, earlier: Declared, sentence: str, also: str, pointer: tuple[str, ...] = _NAME
) -> InventoryError:
    return InventoryError(
        declared.item.document.source.path,
        declared.locate(pointer),
        sentence,
        related=((earlier.item.document.source.path, earlier.locate(pointer), also),),
        of_object=True,
    )
