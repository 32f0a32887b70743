"""What a place in a manifest means for scheduling: by the last keys of its path."""

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
    """A meaning; `key` is the label's or taint's key that the value belongs to, `as_key` that the token is a key."""

    meaning: Meaning
    key: str = ""
    as_key: bool = False


def meant(place: TypedPlace) -> Meant | None:
    """What the token of a place means; None where it is nothing that the cluster decides about."""
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
    """Whether a path leads to an expression about nodes, other than one about pods."""
    return path[-2:] == _EXPRESSIONS and any(one in _TERMS for one in path[-4:-2])
