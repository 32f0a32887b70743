"""JSON 6902 patches on values that know their writers."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.sources.kustomize.accumulation.traced import Traced
from kubelint_gpu.sources.kustomize.accumulation.writer import FieldWriter


def apply(target: Traced, operations: list[Any], writer: FieldWriter) -> None:
    """Make the changes one after the other; one that cannot be made is left out, as the real build fails over it."""
    for index, operation in enumerate(operations):
        if isinstance(operation, dict) and isinstance(operation.get("path"), str):
            _apply(target, operation, writer.child(index))


def _apply(target: Traced, operation: dict[str, Any], writer: FieldWriter) -> None:
    steps = [step.replace("~1", "/").replace("~0", "~") for step in operation["path"].split("/")[1:]]
    kind = operation.get("op")
    if kind in {"move", "copy"}:
        source = [step.replace("~1", "/").replace("~0", "~") for step in str(operation.get("from")).split("/")[1:]]
        found = _descend(target, source)
        if found is not None:
            value = found.value
            if kind == "move":
                _remove(target, source, writer)
            _set(target, steps, value, writer.child("from"))
    elif kind == "remove":
        _remove(target, steps, writer)
    elif kind in {"add", "replace"}:
        _set(target, steps, operation.get("value"), writer.child("value"), replace=kind == "replace")


def _descend(target: Traced, steps: list[str]) -> Traced | None:
    found: Traced | None = target
    for step in steps:
        if found is None:
            return None
        entries, elements = found.mapping(), found.elements()
        if entries is not None:
            found = entries.get(step)
        elif elements is not None and step.isdigit() and int(step) < len(elements):
            found = elements[int(step)]
        else:
            return None
    return found


def _set(target: Traced, steps: list[str], value: Any, writer: FieldWriter, *, replace: bool = False) -> None:
    parent = _descend(target, steps[:-1]) if steps else None
    if parent is None:
        return
    elements = parent.elements()
    if elements is None:
        parent.put(steps[-1], value, writer)
    elif steps[-1] == "-":
        elements.append(Traced(value, [writer]))
    elif steps[-1].isdigit() and int(steps[-1]) <= len(elements):
        index = int(steps[-1])
        if replace and index < len(elements):
            elements[index].assign(value, writer)
        else:
            elements.insert(index, Traced(value, [writer]))


def _remove(target: Traced, steps: list[str], writer: FieldWriter) -> None:
    parent = _descend(target, steps[:-1]) if steps else None
    if parent is None:
        return
    entries, elements = parent.mapping(), parent.elements()
    if entries is not None:
        parent.take(steps[-1], writer)
    elif elements is not None and steps[-1].isdigit() and int(steps[-1]) < len(elements):
        parent.take_element(int(steps[-1]), writer)
