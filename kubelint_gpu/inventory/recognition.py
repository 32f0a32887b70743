"""Which documents are an inventory, and what to say of a file that is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubelint_gpu.inventory.declarations.did_you_mean import nearest
from kubelint_gpu.inventory.declarations.inventory import InventoryError
from kubelint_gpu.kube.values.fields import described

if TYPE_CHECKING:
    from kubelint_gpu.documents import Document, Reading

KIND = "ClusterInventory"
API_VERSION = "kubelint-gpu/v1"
_WOULD_BE = (
    f"an inventory is 'kind: {KIND}' with 'apiVersion: {API_VERSION}', or what 'kubectl get nodes -o yaml' prints"
)
_SECTIONS = ("nodes", "pools", "running")


def is_concise(value: dict[str, Any]) -> bool:
    """Whether a document is meant as a ClusterInventory; its schema then says what is wrong with it."""
    kind, version = value.get("kind"), value.get("apiVersion")
    return kind == KIND or (isinstance(version, str) and version.partition("/")[0] == API_VERSION.partition("/")[0])


def rejection(reading: Reading) -> list[InventoryError]:
    """The error of a file in which nothing is an inventory; an empty list of objects is none, but no error."""
    path = reading.source.path if reading.source else ""
    if not reading.documents or all(document.value is None for document in reading.documents):
        span = reading.source.span(0, 0) if reading.source else None
        return [InventoryError(path, span, "not an inventory: the file is empty", _WOULD_BE)]
    document = next(each for each in reading.documents if each.value is not None)
    value = document.value
    if isinstance(value, dict) and isinstance(value.get("items"), list) and not value["items"]:
        return []
    span = document.locate((), "key")
    return [InventoryError(path, span, f"not an inventory: {_what(document)}", _hint(value))]


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
