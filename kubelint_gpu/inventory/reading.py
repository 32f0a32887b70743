"""Parses declared objects into API types while the line of the declaration is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.inventory.declarations.inventory import error_about
from kubelint_gpu.kube.objects.cluster import read_object
from kubelint_gpu.kube.values.errors import InvalidObject, field_path
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from kubelint_gpu.inventory.declarations.inventory import InventoryError


def understood(declared: Declared, problems: list[InventoryError]) -> Declared | None:
    """Return the object with its `typed`, or None if it is invalid; the errors are then added to `problems`.

    Every object of an inventory is checked here, so none is refused later, when its line is no longer known.
    """
    found: list[InvalidObject] = []
    typed = read_object(declared.value, found)
    problems += [refusal(declared, problem) for problem in found]
    if found:
        return None
    return replace(declared, typed=typed)


def refusal(declared: Declared, problem: InvalidObject) -> InventoryError:
    """Return the error for an invalid field of a declared object, at its place."""
    sentence = f"{declared.kind} {declared.name}: {field_path(problem.pointer)} {problem.detail}"
    return error_about(declared, problem.pointer, sentence)
