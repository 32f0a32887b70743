"""The objects of a document; `List` kinds are split into their elements."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.documents.document import Document, Item, Pointer


def items(document: Document) -> tuple[Item, ...]:
    """Return the objects of a document, in the order of the text.

    A kind that ends with `List` and has `items` gives its elements, also nested ones, or nothing if it is empty.
    Elements of a typed list (`NodeList`) without kind and apiVersion take them from the list.
    Documents and elements that are not mappings are left out.
    """
    return tuple(one for one in everything(document) if _is_object(one.value))


def everything(document: Document) -> tuple[Item, ...]:
    """Return the objects in order, together with values that are not mappings and lists whose `items` are null."""
    found: list[Item] = []
    todo: list[tuple[Pointer, Any]] = [((), document.value)]
    while todo:
        pointer, value = todo.pop()
        if value is None and not pointer:
            continue
        elements = _elements(value) if isinstance(value, dict) else None
        if elements is None:
            found.append(Item(document, pointer, value))
        else:
            places = [((*pointer, "items", index), element) for index, element in enumerate(elements)]
            todo.extend(reversed(places))
    return tuple(found)


def _is_object(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    kind = value.get("kind")
    return not (isinstance(kind, str) and kind.endswith("List")) or value.get("items", 0) is not None


def _elements(value: dict[str, Any]) -> list[Any] | None:
    kind = value.get("kind")
    elements = value.get("items", 0)
    if not isinstance(kind, str) or not kind.endswith("List"):
        return None
    if not isinstance(elements, list):
        return None
    if kind == "List":
        return elements
    inherited = {name: value[name] for name in ("apiVersion",) if name in value} | {"kind": kind.removesuffix("List")}
    return [inherited | element if isinstance(element, dict) else element for element in elements]
