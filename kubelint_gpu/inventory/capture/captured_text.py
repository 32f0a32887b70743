"""An inventory as text that is the same for the same cluster and shows in a diff what has changed in another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubelint_gpu.documents.emitter import block_lines
from kubelint_gpu.inventory.capture.kept import SHAPES
from kubelint_gpu.inventory.view.node_names import natural
from kubelint_gpu.version import PROJECT_URL

_MODELINE = f"# yaml-language-server: $schema={PROJECT_URL.replace('github.com', 'raw.githubusercontent.com')}"
_SCHEMA = "/main/kubelint_gpu/inventory/file.schema.json"
# what a reader looks for first
_FIRST = ("Node", "PriorityClass", "Namespace", "ResourceQuota", "LimitRange")
_LAST = ("Pod",)


def inventory_text(settings: dict[str, Any], objects: Iterable[dict[str, Any]]) -> str:
    """A `ClusterInventory` with the settings, then the objects: by kind, namespace and name."""
    whole = {"apiVersion": "kubelint-gpu/v1", "kind": "ClusterInventory", **settings}
    documents = [whole, *sorted(objects, key=_order)]
    texts = ("\n".join(block_lines(document)) for document in documents)
    return f"{_MODELINE}{_SCHEMA}\n" + "\n---\n".join(texts) + "\n"


def _order(value: dict[str, Any]) -> tuple[Any, ...]:
    metadata = value.get("metadata", {})
    return _rank(value["kind"]), natural(str(metadata.get("namespace", ""))), natural(str(metadata.get("name", "")))


def _rank(kind: str) -> int:
    middle = sorted(kind for kind in SHAPES if kind not in (*_FIRST, *_LAST))
    return (*_FIRST, *middle, *_LAST).index(kind)
