"""The objects of a document: `List` kinds are taken apart."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.documents.document import Document, Item, Pointer


def items(document: Document) -> tuple[Item, ...]:
    """The mappings that stand for one object each, in the order of the text.

    A kind that ends with `List` and has `items` stands for its elements, nested ones too; without elements for nothing.
    Elements of a typed list (`NodeList`) that leave out kind and apiVersion take them from the list.
    Documents and elements that are no mapping give none.
    """
    return tuple(one for one in everything(document) if _is_object(one.value))


def everything(document: Document) -> tuple[Item, ...]:
    """The items and, in their order, what is none: what is no mapping, and lists whose `items` are null."""
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
