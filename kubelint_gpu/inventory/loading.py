"""Any number of files, concise and raw declarations mixed, as one inventory."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from kubelint_gpu.documents import everything
from kubelint_gpu.inventory.consistency import inconsistencies, without_repetitions
from kubelint_gpu.inventory.declarations.complaint import error_at
from kubelint_gpu.inventory.declarations.inventory import (
    UNHEALTHY,
    Admission,
    Inventory,
    InventoryError,
    Pool,
    Scheduler,
)
from kubelint_gpu.inventory.declarations.unread import ANY, SECTIONS, Unread, unread
from kubelint_gpu.inventory.kubernetes_version import cluster_version
from kubelint_gpu.inventory.misreadings import Misreadings
from kubelint_gpu.inventory.objects.declared_nodes import MOST_NODES, node, pool
from kubelint_gpu.inventory.objects.policies import POLICIES
from kubelint_gpu.inventory.objects.raw import is_cluster_object, raw_object
from kubelint_gpu.inventory.objects.running import MOST_PODS, admitted, running_pods
from kubelint_gpu.inventory.reading import understood
from kubelint_gpu.inventory.recognition import is_concise, meant, misread, rejection
from kubelint_gpu.kube.objects.cluster import identity
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.priority import PriorityClass
from kubelint_gpu.values import dataclass, field, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubelint_gpu.documents import Item, Pointer, Reading
    from kubelint_gpu.inventory.declarations.declared import Declared


@dataclass(slots=True)
class _Gathered:
    # What was found so far; running pods wait until every node and class is known.
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


def load(readings: Sequence[Reading], *, follows_schema: bool = False) -> tuple[Inventory, tuple[InventoryError, ...]]:
    """The inventory that some files declare, and everything that is wrong with them.

    Where it is known that they follow the schema they are not compared with it.
    Where there is a fatal error the inventory must not be judged by; an object with an error of its own is `unread`.
    Contradictions between declarations that are each well-formed are not looked for here: see `contradictions`.
    """
    found = _Gathered(Misreadings(readings))
    for reading in readings:
        _read(reading, found, follows_schema)
    _run(found)
    slices = [each for each in found.objects if each.kind == "ResourceSlice"]
    slices += [each for one in found.pools for each in one.slices]
    if slices:
        from kubelint_gpu.inventory.dra.slices import classes_of

        found.objects += classes_of(slices, found.objects)
    objects = (*without_repetitions(found.objects), *found.pods)
    seen: dict[tuple[str, str, str], Declared] = {}
    for later, error in inconsistencies(objects):
        found.problems.append(error)
        found.unread.append(unread(later.kind, later.value))
    objects = tuple(one for one in objects if not one.name or seen.setdefault(identity(one.value), one) is one)
    inventory = _inventory(found, objects)
    return inventory, (*found.misread.left(), *found.problems)


def _read(reading: Reading, found: _Gathered, follows_schema: bool) -> None:
    recognised = False
    others: list[Item] = []
    for document in reading.documents:
        for item in everything(document):
            value: Any = item.value
            if not isinstance(value, dict):
                others.append(item)
            elif is_concise(value):
                recognised = True
                _concise(item, found, follows_schema)
            elif is_cluster_object(value):
                recognised = True
                _raw(item, found)
            else:
                others.append(item)
    if not recognised:
        if not reading.problems:
            found.problems += rejection(reading)
        return
    for item in others:
        kind = meant(item.value)
        if kind is None:
            found.ignored[item.value["kind"]] += 1
            continue
        found.problems.append(replace(misread(item), of_object=True))
        several = kind == ANY or str(item.value.get("kind")).casefold().endswith("list")
        found.unread.append(unread(kind, None if several else item.value))
        if kind in ("Node", ANY):
            found.doubtful.add(found.unread[-1].name or None)


def _raw(item: Item, found: _Gathered) -> None:
    with found.one(item.value["kind"], item.value, item):
        declared = raw_object(item, found.problems)
    if declared is None:
        if item.value["kind"] == "Node":
            found.doubtful.add(_name(item.value) or None)
        return
    if isinstance(declared.typed, Node):
        found.nodes += 1
        if found.nodes == MOST_NODES + 1:
            sentence = f"more than {MOST_NODES:,} nodes, more than an inventory may have"
            found.problems.append(error_at(item, (), sentence, role="key"))
        if found.nodes > MOST_NODES:
            return
    (found.pods if isinstance(declared.typed, Pod) else found.objects).append(declared)


def _concise(item: Item, found: _Gathered, follows_schema: bool) -> None:
    broken: frozenset[Pointer] = frozenset()
    if not follows_schema:
        from kubelint_gpu.inventory.validation import kind_of, validate

        errors, broken = validate(item)
        found.problems += errors
        for section, entry in sorted((str(pointer[0]), pointer[1:]) for pointer in broken if pointer):
            kind = kind_of(section)
            if kind in ("Node", ANY):
                found.doubtful.add(_entry_name(item, section, entry))
            if kind is not None:
                whole = not entry or not isinstance(item.value[section], list)
                found.unread.append(unread(kind, None if whole else item.value[section][entry[0]]))
    found.concise.append(item)

    def entries(section: str) -> list[Pointer]:
        listed = item.value.get(section)
        if (section,) in broken or not isinstance(listed, list):
            return []
        pointers: list[Pointer] = [(section, index) for index in range(len(listed))]
        return [pointer for pointer in pointers if pointer not in broken]

    for section, declare in POLICIES.items():
        for pointer in entries(section):
            value = item.value[section][pointer[1]]
            with found.one(SECTIONS[section], value, item, pointer):
                policy = understood(declare(item, pointer, value), found.problems)
            if policy is not None:
                found.objects.append(policy)
    for pointer in entries("nodes"):
        with found.one("Node", item.value["nodes"][pointer[1]], item, pointer):
            one = node(item, pointer, found.problems)
        if one is None:
            found.doubtful.add(_entry_name(item, "nodes", pointer[1:]))
        else:
            found.objects += [one, *_devices(item, pointer, (), one.name, found)]
        found.nodes += 1
    for pointer in entries("pools"):
        with found.one("Node", {}, item, pointer):
            grown = pool(item, pointer, MOST_NODES - found.nodes, found.problems)
        if grown is None:
            found.doubtful.add(None)
            continue
        declared, nodes = grown
        slices = _devices(item, pointer, ("template",), declared.template.name, found)
        found.pools.append(replace(declared, slices=tuple(slices)))
        found.objects += nodes
        if slices:
            from kubelint_gpu.inventory.dra.slices import on_node

            found.objects += [on_node(one, name) for name in declared.nodes for one in slices]
        found.nodes += len(nodes)
    found.waiting += [(item, pointer) for pointer in entries("running")]


def _devices(item: Item, pointer: Pointer, below: Pointer, node: str, found: _Gathered) -> list[Declared]:
    value: Any = item.value
    for part in (*pointer, *below):
        value = value[part]
    if "devices" not in value:
        return []
    from kubelint_gpu.inventory.dra.slices import slices_of

    with found.one("ResourceSlice", {}, item, (*pointer, *below, "devices")):
        return slices_of(item, (*pointer, *below), value, node, found.problems)


def _run(found: _Gathered) -> None:
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


def _entry_name(item: Item, section: str, entry: Pointer) -> str | None:
    listed = item.value.get(section)
    if section == "pools" or not entry or not isinstance(listed, list) or not isinstance(entry[0], int):
        return None
    node = listed[entry[0]]
    name = node.get("name") if isinstance(node, dict) else None
    return name if isinstance(name, str) else None


def _inventory(found: _Gathered, objects: tuple[Declared, ...]) -> Inventory:
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
        kubernetes_version=_version(found, nodes),
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
        name=next((name for name in map(_name, values) if name), ""),
        ignored=tuple(sorted(found.ignored.items())),
        unread=tuple(dict.fromkeys(found.unread)),
    )


def _version(found: _Gathered, nodes: list[Declared]) -> str | None:
    declared: str | None = None
    for item in found.concise:
        version = item.value.get("kubernetesVersion")
        if not isinstance(version, str):
            continue
        if declared is not None and cluster_version(version, ()) != cluster_version(declared, ()):
            sentence = f'kubernetesVersion is "{version}" here and "{declared}" elsewhere'
            found.problems.append(error_at(item, ("kubernetesVersion",), sentence))
        declared = declared or version
    return cluster_version(declared, (node.typed.kubelet_version for node in nodes if isinstance(node.typed, Node)))


def _together(settings: list[dict[str, Any]], key: str) -> tuple[dict[str, Any], ...]:
    lists = (each[key] for each in settings if isinstance(each.get(key), list))
    return tuple(entry for entries in lists for entry in entries if isinstance(entry, dict))


def _name(value: dict[str, Any]) -> str:
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""
