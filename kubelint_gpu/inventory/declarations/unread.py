"""An object of the inventory that cannot be read completely, with its known fields."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.values import Value

ANY = ""
"""The kind of an object of which not even the kind is known."""

SECTIONS = {
    "namespaces": "Namespace",
    "nodes": "Node",
    "podDisruptionBudgets": "PodDisruptionBudget",
    "pools": "Node",
    "priorityClasses": "PriorityClass",
    "resourceQuotas": "ResourceQuota",
    "running": "Pod",
}
"""The kind of the entries of each section of a ClusterInventory."""


class Unread(Value):
    """An object of the cluster that is not completely known.

    `name`, `namespace`, `owner` (its kind and name) and `labels` are empty if they cannot be read either.
    `default` says that it may be the default of its kind.
    """

    kind: str
    name: str = ""
    namespace: str = ""
    owner: str = ""
    labels: FrozenMap[str, str] = EMPTY
    default: bool = False


def unread(kind: str, value: Any) -> Unread:
    """Return the readable part of a broken object, given raw or as an entry of a section."""
    whole: dict[str, Any] = value if isinstance(value, dict) else {}
    inner = whole.get("pod") if kind == "Pod" and isinstance(whole.get("pod"), dict) else whole
    meta = inner.get("metadata", whole) if isinstance(inner, dict) else whole
    meta = meta if isinstance(meta, dict) else {}
    labels = meta["labels"] if isinstance(meta.get("labels"), dict) else {}
    owner = _text(whole.get("owner")).split("/")
    return Unread(
        kind,
        _text(meta.get("name")),
        _text(meta.get("namespace")) or (owner[1] if len(owner) == 3 else ""),
        f"{owner[0]}/{owner[-1]}" if len(owner) > 1 else "",
        FrozenMap({str(key): found for key, found in labels.items() if isinstance(found, str)}),
        not isinstance(value, dict) or whole.get("globalDefault", False) is not False,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
