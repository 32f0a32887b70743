"""What the files of an inventory declare, gathered from all of them."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from kubelint_gpu.inventory.declarations.complaint import error_at
from kubelint_gpu.inventory.declarations.inventory import (
    UNHEALTHY,
    Admission,
    Inventory,
    InventoryError,
    Pool,
    Scheduler,
)
from kubelint_gpu.inventory.declarations.unread import ANY, Unread, unread
from kubelint_gpu.inventory.kubernetes_version import cluster_version
from kubelint_gpu.inventory.misreadings import Misreadings
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubelint_gpu.documents import Item, Pointer
    from kubelint_gpu.inventory.declarations.declared import Declared


class GatheredDeclarations(Struct):
    """What was found so far; running pods wait until every node and class is known."""

    misread: Misreadings
    objects: list[Declared] = field(default_factory=list)
    pods: list[Declared] = field(default_factory=list)
    pools: list[Pool] = field(default_factory=list)
    concise: list[Item] = field(default_factory=list)
    waiting: list[tuple[Item, Pointer]] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    problems: list[InventoryError] = field(default_factory=list)
    nodes: int = 0
    # Names of nodes whose declaration is broken; None where a pool is, which may have had any name.
    doubtful: set[str | None] = field(default_factory=set)
    unread: list[Unread] = field(default_factory=list)

    @contextmanager
    def one(self, kind: str, value: Any, item: Item, pointer: Pointer = ()) -> Iterator[None]:
        """What is wrong with an object that is read meanwhile, or was in its text, costs this object alone."""
        begin = len(self.problems)
        yield
        self.problems += self.misread.take(item, pointer)
        if any(one.severity == "error" for one in self.problems[begin:]):
            self.problems[begin:] = [replace(one, of_object=True) for one in self.problems[begin:]]
            self.unread.append(unread(kind, value))


def inventory_of(found: GatheredDeclarations, objects: tuple[Declared, ...], version: str | None) -> Inventory:
    """The inventory of what was gathered, with the objects that count; `version` is that of the cluster."""
    values = [item.value for item in found.concise]
    nodes = [each for each in objects if isinstance(each.typed, Node)]
    stated = [value["complete"] for value in values if isinstance(value.get("complete"), bool)]
    growing = any(each.room for each in found.pools)
    whole = all(one.kind not in ("Node", ANY) for one in found.unread)
    admission = [value["admission"] for value in values if isinstance(value.get("admission"), dict)]
    scheduler = [value["scheduler"] for value in values if isinstance(value.get("scheduler"), dict)]
    closed = whole and (all(stated) if stated else bool(nodes or found.pools))
    return Inventory(
        objects=objects,
        kubernetes_version=version,
        complete=closed and (bool(stated) or not growing),
        closed=closed,
        pools=tuple(found.pools),
        unhealthy=frozenset(
            each.name for each in nodes if isinstance(each.typed, Node) and each.typed.meta.annotations.get(UNHEALTHY)
        ),
        admission=Admission(
            any(each.get("extendedResourceToleration") is True for each in admission),
            _together(admission, "defaultTolerations"),
        ),
        scheduler=Scheduler(_together(scheduler, "profiles"), _together(scheduler, "defaultConstraints")),
        name=next((name for name in map(name_of, values) if name), ""),
        ignored=tuple(sorted(found.ignored.items())),
        unread=tuple(dict.fromkeys(found.unread)),
    )


def version_of(found: GatheredDeclarations, objects: Iterable[Declared]) -> str | None:
    """The version of the cluster; two that are declared and differ are a problem."""
    declared: str | None = None
    for item in found.concise:
        version = item.value.get("kubernetesVersion")
        if not isinstance(version, str):
            continue
        if declared is not None and cluster_version(version, ()) != cluster_version(declared, ()):
            sentence = f'kubernetesVersion is "{version}" here and "{declared}" elsewhere'
            found.problems.append(error_at(item, ("kubernetesVersion",), sentence))
        declared = declared or version
    return cluster_version(declared, (one.typed.kubelet_version for one in objects if isinstance(one.typed, Node)))


def _together(settings: list[dict[str, Any]], key: str) -> tuple[dict[str, Any], ...]:
    lists = (each[key] for each in settings if isinstance(each.get(key), list))
    return tuple(entry for entries in lists for entry in entries if isinstance(entry, dict))


def name_of(value: dict[str, Any]) -> str:
    """`metadata.name` as it is written; empty where it is not."""
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""
