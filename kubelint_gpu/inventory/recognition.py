"""Which documents are an inventory, and what to say of a file that is none."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from kubelint_gpu.documents import Document, Item, Reading
from kubelint_gpu.inventory.declarations.complaint import error_at
from kubelint_gpu.inventory.declarations.did_you_mean import nearest
from kubelint_gpu.inventory.declarations.inventory import InventoryError
from kubelint_gpu.inventory.declarations.unread import ANY
from kubelint_gpu.inventory.objects.raw import KINDS
from kubelint_gpu.kube.values.fields import described
from kubelint_gpu.kube.values.plain import shortened

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


def is_concise(value: dict[str, Any]) -> bool:
    """Whether a document is meant as a ClusterInventory; its schema then says what is wrong with it."""
    kind, version = value.get("kind"), value.get("apiVersion")
    return kind == KIND or (isinstance(version, str) and version.partition("/")[0] == API_VERSION.partition("/")[0])


def meant(value: Any) -> str | None:
    """The kind of something that is not read, `ANY` where it may be each; None for an object that decides nothing.

    That is a whole object of a kind that resembles none which is read, or one of a group of another project.
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
    """The error of something that is not read and is not known to decide nothing; it costs itself."""
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
    """The error of a file in which nothing is an inventory; an empty list of objects is none, but no error."""
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
    return [InventoryError(path, span, f"not an inventory: {_what(document)}", _hint(value))]


def _is_empty(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("items"), list) and not value["items"]


def _what(document: Document) -> str:
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
