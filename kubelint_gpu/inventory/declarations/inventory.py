"""The declared cluster, as the other packages use it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal

from kubelint_gpu.documents import Item, Pointer, Span
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.declarations.declared import Declared, Unread
from kubelint_gpu.kube.objects.pod import DEFAULT_SCHEDULER
from kubelint_gpu.values import Value, replace

ANNOTATION = "kubelint-gpu/"
# Annotations of expanded nodes; on a raw node a person may write `unhealthy` by hand.
UNHEALTHY = ANNOTATION + "unhealthy"
POOL = ANNOTATION + "pool"
UNLIMITED = ANNOTATION + "unlimited"
ONE_PER_CONTAINER = ANNOTATION + "one-per-container"
MAY_BE = ANNOTATION + "may-be"


class InventoryError(Value):
    """A problem of a declaration, and its place.

    `hint` describes a correct declaration, and may be empty. An error makes the inventory unusable; if it is
    `of_object`, only this object. A warning does not, and neither does a note, which affects no verdict.
    """

    path: str
    span: Span | None
    message: str
    hint: str = ""
    severity: Literal["error", "warning", "note"] = "error"
    related: tuple[tuple[str, Span, str], ...] = ()
    of_object: bool = False

    @property
    def fatal(self) -> bool:
        """Whether an inventory with this error cannot be used at all."""
        return self.severity == "error" and not self.of_object


class Autoscaling(Value):
    """The minimum and maximum number of nodes of a pool."""

    minimum: int
    maximum: int


class Pool(Value):
    """A group of equal nodes.

    `template` is a node as the pool would add it; it is not one of the cluster's nodes. `nodes` are the names of its
    present nodes, `slices` the devices of the template. Without `autoscaling` the pool has a fixed size.
    """

    name: str
    template: Declared
    nodes: tuple[str, ...]
    autoscaling: Autoscaling | None = None
    slices: tuple[Declared, ...] = ()

    @property
    def room(self) -> int:
        """Return how many nodes the pool may still add."""
        return max(0, self.autoscaling.maximum - len(self.nodes)) if self.autoscaling else 0


class Admission(Value):
    """The changes that admission makes to pods before the scheduler sees them.

    A default toleration is a `v1.Toleration`; its optional key `resource` names a resource, and only pods that request
    it get the toleration.
    """

    extended_resource_toleration: bool = False
    default_tolerations: tuple[dict[str, Any], ...] = ()


class Scheduler(Value):
    """Declared settings of kube-scheduler: profiles and the default topology spread constraints.

    Pods are judged by the profile of default-scheduler; for other profiles only the names are used.
    """

    profiles: tuple[dict[str, Any], ...] = ()
    default_constraints: tuple[dict[str, Any], ...] = ()

    def of_default(self, key: str) -> Any:
        """Return a setting of the profile of default-scheduler; None if it is not declared."""
        mine = [one for one in self.profiles if one.get("schedulerName", DEFAULT_SCHEDULER) == DEFAULT_SCHEDULER]
        return next((one[key] for one in mine if key in one), None)


class Inventory(Value, dict=True):
    """The declared cluster.

    `kubernetes_version` is major and minor (`1.34`), None if unknown. `complete` says that the cluster has only these
    nodes, `closed` that it has only these and those that pools may add. `unhealthy` are names of nodes that must be
    avoided; the reason is their annotation `kubelint-gpu/unhealthy`. `ignored` counts API objects of kinds that do not
    affect placement. `unread` are objects with errors: they are missing here, or differ from the cluster's.
    """

    objects: tuple[Declared, ...] = ()
    kubernetes_version: str | None = None
    complete: bool = False
    pools: tuple[Pool, ...] = ()
    unhealthy: frozenset[str] = frozenset()
    admission: Admission = Admission()
    scheduler: Scheduler = Scheduler()
    name: str = ""
    ignored: tuple[tuple[str, int], ...] = ()
    closed: bool = False
    unread: tuple[Unread, ...] = ()

    def of_kind(self, kind: str) -> Iterator[Declared]:
        """Return the objects of a kind, in the order of their declaration."""
        return iter(self._by_kind.get(kind, ()))

    @cached_property
    def _by_kind(self) -> dict[str, list[Declared]]:
        return grouped((declared.kind, declared) for declared in self.objects)


def error_at(
    item: Item, pointer: Pointer, message: str, hint: str = "", *, role: Literal["key", "value"] = "value"
) -> InventoryError:
    """Return an error at a field of an item."""
    return InventoryError(item.document.source.path, item.locate(pointer, role), message, hint)


def warning_at(item: Item, pointer: Pointer, message: str, hint: str = "") -> InventoryError:
    """Return a warning at a field of an item."""
    return InventoryError(item.document.source.path, item.locate(pointer), message, hint, "warning")


def remark_at(item: Item, pointer: Pointer, message: str, hint: str = "") -> InventoryError:
    """Return a warning at a field of a GPU declaration; only a note for `model`, which affects nothing but labels.

    If a workload asks for such a label, the rule for that label reports it.
    """
    found = warning_at(item, pointer, message, hint)
    return replace(found, severity="note") if pointer[-1] == "model" else found


def error_about(declared: Declared, pointer: Pointer, message: str, hint: str = "") -> InventoryError:
    """Return an error at the place that decides a field of an object."""
    return InventoryError(declared.item.document.source.path, declared.locate(pointer), message, hint)


def warning_about(
    declared: Declared,
    pointer: Pointer,
    message: str,
    hint: str = "",
    related: tuple[tuple[str, Declared, Pointer], ...] = (),
) -> InventoryError:
    """Return a warning at the place that decides a field of an object; each related place has a sentence."""
    places = tuple(
        (other.item.document.source.path, other.locate(where), sentence) for sentence, other, where in related
    )
    return InventoryError(
        declared.item.document.source.path, declared.locate(pointer), message, hint, "warning", places
    )
