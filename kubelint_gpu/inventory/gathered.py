"""All declarations gathered from the files of an inventory: objects, pods, and errors of the YAML reader."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from operator import itemgetter
from typing import Any

from msgspec import Struct, field

from kubelint_gpu.documents import Item, Pointer, Reading
from kubelint_gpu.inventory.declarations.declared import ANY, Declared, Unread, unread
from kubelint_gpu.inventory.declarations.inventory import (
    UNHEALTHY,
    Admission,
    Inventory,
    InventoryError,
    Pool,
    Scheduler,
    error_at,
)
from kubelint_gpu.inventory.kubernetes_version import cluster_version
from kubelint_gpu.inventory.objects.declared_nodes import MOST_NODES, raw_object
from kubelint_gpu.inventory.objects.running import MOST_PODS, admitted, running_pods
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.priority import PriorityClass
from kubelint_gpu.values import replace


class Misreadings:
    """Errors of the YAML reader (a repeated key, a value that contradicts its tag), by file and offset."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self._left: dict[str, list[tuple[int, InventoryError]]] = {}
        for reading in readings:
            for problem in reading.problems:
                related = tuple((problem.path, span, sentence) for span, sentence in problem.related)
                error = InventoryError(problem.path, problem.span, problem.message, related=related)
                place = problem.span.start if problem.span is not None else -1
                self._left.setdefault(problem.path, []).append((place, error))
        for errors in self._left.values():
            errors.sort(key=itemgetter(0))

    def take(self, item: Item, pointer: Pointer = ()) -> list[InventoryError]:
        """Return the errors within an object, or below a pointer in it; each error is returned only once."""
        errors = self._left.get(item.document.source.path)
        node = item.document.node(item.pointer + pointer) if errors else None
        if not errors or node is None:
            return []
        first, end = bisect_left(errors, node[0], key=itemgetter(0)), bisect_left(errors, node[1], key=itemgetter(0))
        taken, errors[first:end] = errors[first:end], []
        return [error for _, error in taken]

    def left(self) -> list[InventoryError]:
        """Return the errors that belong to no object."""
        return [error for errors in self._left.values() for _, error in errors]


class GatheredDeclarations(Struct):
    """The declarations gathered so far; running pods wait until every node and class is known."""

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
        """Limit the errors found while an object is read, and those in its text, to this object."""
        begin = len(self.problems)
        yield
        self.problems += self.misread.take(item, pointer)
        if any(one.severity == "error" for one in self.problems[begin:]):
            self.problems[begin:] = [replace(one, of_object=True) for one in self.problems[begin:]]
            self.unread.append(unread(kind, value))


def inventory_of(found: GatheredDeclarations, objects: tuple[Declared, ...], version: str | None) -> Inventory:
    """Return the inventory of the gathered declarations, with the valid objects; `version` is the cluster's."""
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
    """Return the version of the cluster; two different declared versions are a problem."""
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
    """Return `metadata.name` as written; empty if absent."""
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""


def gather_pods(found: GatheredDeclarations) -> None:
    """Add the waiting running pods to the gathered declarations."""
    classes = tuple(each.typed for each in found.objects if isinstance(each.typed, PriorityClass))
    nodes = {each.name: each for each in found.objects if isinstance(each.typed, Node)}
    broken = frozenset(one.name for one in found.unread if one.kind == "PriorityClass")
    named = broken | {one.name for one in classes}

    def of_class(pod: Declared) -> Declared:
        name = pod.typed.spec.priority_class_name if isinstance(pod.typed, Pod) else ""
        with found.one("PriorityClass", {"name": name}, pod.item, pod.pointer):
            return admitted(pod, classes, found.problems, raw=True, broken=broken)

    found.pods = [of_class(pod) for pod in found.pods]
    entries: list[dict[str, Any]] = [item.value["running"][pointer[1]] for item, pointer in found.waiting]
    totals = accumulate(entry.get("count", 1) for entry in entries)
    above = next((number for number, total in enumerate(totals) if total > MOST_PODS), None)
    if above is not None:
        sentence = f"this brings the inventory above {MOST_PODS:,} running pods, more than it may have"
        found.problems.append(error_at(*found.waiting[above], sentence))
        return
    for (item, pointer), entry in zip(found.waiting, entries, strict=True):
        if "pod" in entry:
            value = {**entry["pod"], "apiVersion": "v1", "kind": "Pod"}
            with found.one("Pod", entry, item, pointer):
                declared = raw_object(item, found.problems, value, (*pointer, "pod"))
            if declared is not None:
                found.pods.append(of_class(declared))
        elif entry["node"] not in nodes and found.doubtful & {entry["node"], None}:
            found.unread.append(unread("Pod", entry))
        else:
            with found.one("Pod", entry, item, pointer):
                found.pods += running_pods(item, pointer, nodes, classes, found.problems, broken)
            if "priorityClassName" in entry and entry["priorityClassName"] not in named:
                found.unread.append(unread("PriorityClass", {"name": entry["priorityClassName"]}))


def gather_raw(item: Item, found: GatheredDeclarations) -> None:
    """Add an object in the form that kubectl prints; a pod waits."""
    with found.one(item.value["kind"], item.value, item):
        declared = raw_object(item, found.problems)
    if declared is None:
        if item.value["kind"] == "Node":
            found.doubtful.add(name_of(item.value) or None)
        return
    if isinstance(declared.typed, Node):
        found.nodes += 1
        if found.nodes == MOST_NODES + 1:
            sentence = f"more than {MOST_NODES:,} nodes, more than an inventory may have"
            found.problems.append(error_at(item, (), sentence, role="key"))
        if found.nodes > MOST_NODES:
            return
    (found.pods if isinstance(declared.typed, Pod) else found.objects).append(declared)
