"""The meaning of a place in a manifest for scheduling, by the last keys of its path."""

from __future__ import annotations

from typing import Literal

from kubelint_gpu.lsp.typed.typed_place import TypedPlace
from kubelint_gpu.values import Value

Meaning = Literal[
    "label-key",
    "label-value",
    "operator",
    "taint-key",
    "taint-value",
    "taint-operator",
    "effect",
    "priority-class",
    "runtime-class",
    "resource",
]
_EXPRESSIONS = ("matchExpressions", None)
_TERMS = ("nodeSelectorTerms", "preference")


class Meant(Value):
    """A meaning; `key` is the key of the label or taint of a value, `as_key` says that the token is a key."""

    meaning: Meaning
    key: str = ""
    as_key: bool = False


def meant(place: TypedPlace) -> Meant | None:
    """Return the meaning of the token at a place; None if the cluster decides nothing about it."""
    path = place.path
    if place.role != "value" and path[-1:] == ("nodeSelector",):
        return Meant("label-key", as_key=True)
    if place.role != "value" and path[-2:-1] == ("resources",) and path[-1] in ("limits", "requests"):
        return Meant("resource", as_key=True)
    if place.role == "element" and path[-2:] == ("values", None) and _is_node_expression(path[:-2]):
        return Meant("label-value", place.outer.get("key", ""))
    if place.role != "value" or not path:
        return None
    last = path[-1]
    if path[-2:-1] == ("nodeSelector",):
        return Meant("label-value", last or "")
    if _is_node_expression(path[:-1]):
        return {"key": Meant("label-key"), "operator": Meant("operator")}.get(last or "")
    if path[-3:-1] == ("tolerations", None):
        return {
            "key": Meant("taint-key"),
            "value": Meant("taint-value", place.siblings.get("key", "")),
            "effect": Meant("effect", place.siblings.get("key", "")),
            "operator": Meant("taint-operator"),
        }.get(last or "")
    names: dict[str, Meaning] = {
        "topologyKey": "label-key",
        "priorityClassName": "priority-class",
        "runtimeClassName": "runtime-class",
    }
    return Meant(names[last]) if last in names else None


def _is_node_expression(path: tuple[str | None, ...]) -> bool:
    """Whether a path leads to an expression about nodes, not about pods."""
    return path[-2:] == _EXPRESSIONS and any(key in _TERMS for key in path[-4:-2])
