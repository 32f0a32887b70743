"""One object of the declared cluster, and the place of its declaration."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.documents import Item, Pointer, Span
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.values import PartlyCompared, Value

Routes = tuple[tuple["Pointer", "Pointer"], ...]


class Declared(PartlyCompared):
    """A complete API object of the cluster, and its origin.

    `value` is shared, never copied: nobody changes it. Nodes of one pool share their spec and status. `pointer` leads
    from the item to the declaration; it is empty for a raw object. `routes` leads from fields of `value` to fields of
    the item, the better place first. `typed` is `value` parsed into its API type; None if it is not parsed.
    """

    not_compared = frozenset({"typed"})
    value: dict[str, Any]
    item: Item
    pointer: Pointer = ()
    routes: Routes = ()
    typed: Any = None

    @property
    def kind(self) -> str:
        """Kind of the object."""
        return str(self.value.get("kind", ""))

    @property
    def name(self) -> str:
        """Name of the object."""
        return str(self.value["metadata"].get("name", ""))

    @property
    def namespace(self) -> str:
        """Return the namespace of the object; empty for a cluster-scoped object, which `value` does not show."""
        return str(self.value["metadata"].get("namespace", ""))

    def locate(self, pointer: Pointer) -> Span:
        """Return the place that decides a field of `value`.

        A derived field (`status.allocatable` from `gpus.count`) stands where its source stands.
        Without a better place it is the object's name.
        """
        routes = [(source, target) for source, target in self.routes if pointer[: len(source)] == source]
        if not routes:
            return self.item.locate((*self.pointer, *pointer))
        for source, target in routes:
            exact = (*target, *pointer[len(source) :])
            if self.item.present(exact):
                return self.item.locate(exact)
        for source, target in routes:
            if self.item.present(target):
                return self.item.locate((*target, *pointer[len(source) :]) if source else target)
        return self.item.locate(self.pointer)


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
    `default` says that it may be the default of its kind, `paths` names the files that declare it differently.
    """

    kind: str
    name: str = ""
    namespace: str = ""
    owner: str = ""
    labels: FrozenMap[str, str] = EMPTY
    default: bool = False
    paths: tuple[str, ...] = ()


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
