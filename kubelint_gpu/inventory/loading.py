"""Loads files as one inventory: finds its documents, reads their declarations, and reports contradictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from kubelint_gpu.documents import Document, Item, Reading, everything
from kubelint_gpu.inventory.concise_declarations import gather_concise
from kubelint_gpu.inventory.declarations.declared import ANY, Declared, unread
from kubelint_gpu.inventory.declarations.did_you_mean import nearest
from kubelint_gpu.inventory.declarations.inventory import Inventory, InventoryError, error_at
from kubelint_gpu.inventory.gathered import (
    GatheredDeclarations,
    Misreadings,
    gather_pods,
    gather_raw,
    inventory_of,
    version_of,
)
from kubelint_gpu.inventory.objects.declared_nodes import KINDS, is_cluster_object, pool_of_template
from kubelint_gpu.kube.objects.cluster import identity
from kubelint_gpu.kube.objects.priority import PriorityClass
from kubelint_gpu.kube.values.fields import described, is_subdomain
from kubelint_gpu.kube.values.plain import shortened
from kubelint_gpu.values import replace

_NAME = ("metadata", "name")
KIND = "ClusterInventory"
API_VERSION = "kubelint-gpu/v1"
_WOULD_BE = (
    f"an inventory is 'kind: {KIND}' with 'apiVersion: {API_VERSION}', or what 'kubectl get nodes -o yaml' prints"
)
# Kinds of Kubernetes that resemble one that is read: v1alpha2 of resource.k8s.io had it.
_OTHERS = ("ResourceClass",)
_SIMILAR = 0.75
_SAME_GROUP = 0.85
_SECTIONS = ("nodes", "pools", "running")


def without_repetitions(objects: Iterable[Declared]) -> tuple[Declared, ...]:
    """Return the objects, with repeated declarations of a Namespace merged if they do not contradict each other.

    Lists of namespaces and the objects themselves often stand in different files, each with a part of the labels.
    """
    places: dict[str, int] = {}
    found: list[Declared] = []
    for declared in objects:
        place = places.setdefault(declared.name, len(found)) if declared.kind == "Namespace" else len(found)
        if place < len(found):
            value = _united(found[place].value, declared.value)
            if value is not None:
                found[place] = replace(found[place], value=value)
                continue
        found.append(declared)
    return tuple(found)


def _united(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    """Merge two declarations; None if they contradict each other."""
    found = dict(one)
    for key, value in other.items():
        mine = found.setdefault(key, value)
        if isinstance(mine, dict) and isinstance(value, dict):
            both = _united(mine, value)
            if both is None:
                return None
            found[key] = both
        elif mine != value:
            return None
    return found


def is_well_named(declared: Declared) -> bool:
    """Whether the API server accepts the object's name; only names of nodes are checked."""
    return declared.kind != "Node" or is_subdomain(declared.name)


def misnamed(objects: Iterable[Declared]) -> Iterator[tuple[Declared, InventoryError]]:
    """Yield errors in names; of objects made from one declaration only the first."""
    told: set[object] = set()
    for declared in objects:
        if declared.name and not is_well_named(declared):
            path, span = declared.item.document.source.path, declared.locate(_NAME)
            if (path, span) not in told:
                told.add((path, span))
                sentence = f'"{declared.name}" is not the name of a node: lower-case letters, digits, "-", "."'
                yield declared, InventoryError(path, span, sentence, of_object=True)


def inconsistencies(objects: Iterable[Declared]) -> Iterator[tuple[Declared, InventoryError]]:
    """Yield conflicts between declarations, each with the later declaration."""
    first: dict[tuple[str, str, str], Declared] = {}
    default: Declared | None = None
    for declared in objects:
        if not declared.name:
            continue
        earlier = first.setdefault(identity(declared.value), declared)
        if earlier is not declared:
            sentence = f"{pool_of_template(declared) or f'{declared.kind} {declared.name}'} is declared twice"
            yield declared, _twice(declared, earlier, sentence, "it is also declared here")
        if isinstance(declared.typed, PriorityClass) and declared.typed.global_default:
            if default is not None and default.name != declared.name:
                sentence = f"priority classes {default.name} and {declared.name} are both globalDefault"
                yield declared, _twice(declared, default, sentence, "the other one is here", ("globalDefault",))
            default = default or declared


def _twice(
    declared: Declared, earlier: Declared, sentence: str, also: str, pointer: tuple[str, ...] = _NAME
) -> InventoryError:
    return InventoryError(
        declared.item.document.source.path,
        declared.locate(pointer),
        sentence,
        related=((earlier.item.document.source.path, earlier.locate(pointer), also),),
        of_object=True,
    )


def is_concise(value: dict[str, Any]) -> bool:
    """Whether a document is meant as a ClusterInventory, so that it is checked against the schema."""
    kind, version = value.get("kind"), value.get("apiVersion")
    return kind == KIND or (isinstance(version, str) and version.partition("/")[0] == API_VERSION.partition("/")[0])


def meant(value: Any) -> str | None:
    """Return the kind that an unread document may have, `ANY` if that is open; None if it affects no placement.

    None is returned for an object of a kind unlike any supported kind, or of another project's API group.
    """
    kind, version = (value.get("kind"), value.get("apiVersion")) if isinstance(value, dict) else (None, None)
    if not isinstance(kind, str) or not kind:
        return ANY
    name = _resembled(kind)
    if not isinstance(version, str) or not version:
        return ANY if name is None else _element(name)
    group = version.rpartition("/")[0]
    # The group of a custom resource has a dot; those with one that are of Kubernetes end in k8s.io.
    ours = "." not in group or nearest(group, KINDS.values(), _SAME_GROUP)
    return _element(name) if name is not None and ours else None


@lru_cache(maxsize=1024)
def _resembled(kind: str) -> str | None:
    lists = ("List", *(f"{one}List" for one in KINDS))
    found = nearest(kind, (*KINDS, *lists, KIND, *_OTHERS), _SIMILAR)
    return None if found in _OTHERS else found


def _element(name: str) -> str:
    kind = name.removesuffix("List")
    return kind if kind in KINDS else ANY


def misread(item: Item) -> InventoryError:
    """Return the error for an unread document that may affect placement; it concerns only that document."""
    value: Any = item.value
    if not isinstance(value, dict):
        return error_at(item, (), f"{described(value)} where an object should be")
    kind, version = value.get("kind"), value.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str) or not kind or not version:
        sentence = "this is neither a ClusterInventory nor a Kubernetes object: it has no apiVersion and kind"
        return error_at(item, (), sentence, role="key")
    name = _resembled(kind)
    if name != kind:
        return error_at(item, ("kind",), f'"{shortened(kind)}" is no kind of Kubernetes', f'did you mean "{name}"?')
    if kind not in KINDS and not isinstance(value.get("items"), list):
        return error_at(item, ("items",), f"{kind} has no list of items", "items is the list of its objects")
    return error_at(item, ("apiVersion",), f'there is no {kind} in apiVersion "{shortened(version)}"')


def rejection(reading: Reading) -> list[InventoryError]:
    """Return the error for a file without any declaration; an empty list of objects is no error."""
    path = reading.path
    if not reading.documents or all(document.value is None for document in reading.documents):
        span = reading.source.span(0, 0) if reading.source else None
        return [InventoryError(path, span, "not an inventory: the file is empty", _WOULD_BE)]
    full = (each for each in reading.documents if each.value is not None and not _is_empty(each.value))
    document = next(full, None)
    if document is None:
        return []
    value = document.value
    span = document.locate((), "key")
    return [InventoryError(path, span, f"not an inventory: {_description(document)}", _hint(value))]


def _is_empty(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("items"), list) and not value["items"]


def _description(document: Document) -> str:
    value = document.value
    if not isinstance(value, dict):
        return f"{described(value)} where an object should be"
    kind, metadata = value.get("kind"), value.get("metadata")
    if not isinstance(kind, str):
        return "it has no kind"
    name = metadata.get("name") if isinstance(metadata, dict) else None
    named = f"{kind} {name}" if isinstance(name, str) else kind
    return f"{named} says nothing about the nodes of a cluster"


def _hint(value: Any) -> str:
    if not isinstance(value, dict):
        return _WOULD_BE
    kind = value.get("kind")
    if isinstance(kind, str) and nearest(kind, [KIND]):
        return f'did you mean "{KIND}"?'
    if not isinstance(kind, str) and any(section in value for section in _SECTIONS):
        return f"add 'apiVersion: {API_VERSION}' and 'kind: {KIND}' at its top"
    return _WOULD_BE


def load(readings: Sequence[Reading], *, follows_schema: bool = False) -> tuple[Inventory, tuple[InventoryError, ...]]:
    """Load the inventory that files declare, with all problems in them.

    With `follows_schema` the check against the schema is skipped.
    With a fatal error the inventory must not be used; an object with an error of its own is `unread`.
    Contradictions between well-formed declarations are not checked here: see `contradictions`.
    """
    found = GatheredDeclarations(Misreadings(readings))
    for reading in readings:
        _read(reading, found, follows_schema)
    gather_pods(found)
    slices = [each for each in found.objects if each.kind == "ResourceSlice"]
    slices += [each for one in found.pools for each in one.slices]
    if slices:
        from kubelint_gpu.inventory.dra.slices import classes_of

        found.objects += classes_of(slices, found.objects)
    objects = (*without_repetitions(found.objects), *found.pods)
    seen: dict[tuple[str, str, str], Declared] = {}
    templates = [pool.template for pool in found.pools]
    for later, error in (*misnamed(objects), *inconsistencies((*objects, *templates))):
        found.problems.append(error)
        found.unread.append(unread(later.kind, later.value))

    def counts(one: Declared) -> bool:
        return not one.name or (is_well_named(one) and seen.setdefault(identity(one.value), one) is one)

    objects = tuple(filter(counts, objects))
    found.pools = [pool for pool in found.pools if counts(pool.template)]
    version = version_of(found, objects)
    inventory = inventory_of(found, objects, version)
    return inventory, (*found.misread.left(), *found.problems)


def _read(reading: Reading, found: GatheredDeclarations, follows_schema: bool) -> None:
    recognised = False
    others: list[Item] = []
    for document in reading.documents:
        for item in everything(document):
            value: Any = item.value
            if not isinstance(value, dict):
                others.append(item)
            elif is_concise(value):
                recognised = True
                gather_concise(item, found, follows_schema)
            elif is_cluster_object(value):
                recognised = True
                gather_raw(item, found)
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
