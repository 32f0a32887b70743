"""The declared cluster as the rest of the program sees it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal

from kubelint_gpu.documents import Span
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.inventory.declarations.unread import Unread
from kubelint_gpu.kube.objects.pod import DEFAULT_SCHEDULER
from kubelint_gpu.values import Value

ANNOTATION = "kubelint-gpu/"
# Annotations of expanded nodes; on a raw node a person may write `unhealthy` by hand.
UNHEALTHY = ANNOTATION + "unhealthy"
POOL = ANNOTATION + "pool"
UNLIMITED = ANNOTATION + "unlimited"
ONE_PER_CONTAINER = ANNOTATION + "one-per-container"
MAY_BE = ANNOTATION + "may-be"


class InventoryError(Value):
    """What is wrong with a declaration, and where.

    `hint` says what would be right, and may be empty.
    An error makes the inventory unusable, or, where it is `of_object`, costs this object alone; a warning does not, and
    neither does a note, on which no verdict rests.
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
        """Whether nothing can be judged by an inventory in which this is wrong."""
        return self.severity == "error" and not self.of_object


class Autoscaling(Value):
    """The sizes between which a pool grows and shrinks, in nodes."""

    minimum: int
    maximum: int


class Pool(Value):
    """A group of equal nodes.

    `template` is a node as the pool would add it; it is not one of the cluster's nodes.
    `nodes` are the names of those it has now, `slices` the devices of the template.
    Without `autoscaling` the pool stays as it is.
    """

    name: str
    template: Declared
    nodes: tuple[str, ...]
    autoscaling: Autoscaling | None = None
    slices: tuple[Declared, ...] = ()

    @property
    def room(self) -> int:
        """How many nodes may still be added."""
        return max(0, self.autoscaling.maximum - len(self.nodes)) if self.autoscaling else 0


class Admission(Value):
    """What admission changes in pods before the scheduler sees them.

    A default toleration is a `v1.Toleration`; its key `resource`, where present, names the resource that a pod must
    request to get it.
    """

    extended_resource_toleration: bool = False
    default_tolerations: tuple[dict[str, Any], ...] = ()


class Scheduler(Value):
    """Settings of kube-scheduler: profiles and the default topology spread constraints, as they were declared.

    Pods are judged by the profile of default-scheduler; of others only the names are known.
    """

    profiles: tuple[dict[str, Any], ...] = ()
    default_constraints: tuple[dict[str, Any], ...] = ()

    def of_default(self, key: str) -> Any:
        """A setting of the profile of default-scheduler; None where it is not declared."""
        mine = [one for one in self.profiles if one.get("schedulerName", DEFAULT_SCHEDULER) == DEFAULT_SCHEDULER]
        return next((one[key] for one in mine if key in one), None)


class Inventory(Value, dict=True):
    """The declared cluster.

    `kubernetes_version` is major and minor (`1.34`), None where nothing tells it.
    `complete` says that the cluster has no nodes but these, `closed` that it has none but these and what pools may add.
    `unhealthy` are names of nodes that must be avoided; the reason is their annotation `kubelint-gpu/unhealthy`.
    `ignored` counts API objects of kinds that placement does not depend on.
    `unread` are those of which something is wrong: they are missing here, or are not as they should be.
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
        """The objects of a kind, in the order of their declaration."""
        return iter(self._by_kind.get(kind, ()))

    @cached_property
    def _by_kind(self) -> dict[str, list[Declared]]:
        return grouped((declared.kind, declared) for declared in self.objects)
