"""One object of the declared cluster, and the place of its declaration."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.documents import Item, Pointer, Span
from kubelint_gpu.values import PartlyCompared

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
