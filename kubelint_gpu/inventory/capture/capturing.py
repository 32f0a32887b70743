"""Turns a cluster's answers into the text of an inventory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubelint_gpu.documents.emitter import block_lines
from kubelint_gpu.inventory.capture.pruning import SHAPES, pruned
from kubelint_gpu.inventory.capture.pseudonyms import Pseudonyms
from kubelint_gpu.inventory.kubernetes_version import cluster_version
from kubelint_gpu.inventory.view.node_names import natural
from kubelint_gpu.sources.kubectl import Answers
from kubelint_gpu.version import PROJECT_URL

_MODELINE = f"# yaml-language-server: $schema={PROJECT_URL.replace('github.com', 'raw.githubusercontent.com')}"
_SCHEMA = "/main/kubelint_gpu/inventory/file.schema.json"
# what a reader looks for first
_FIRST = ("Node", "PriorityClass", "Namespace", "ResourceQuota", "LimitRange")
_LAST = ("Pod",)

_APP_LABELS = ("app.kubernetes.io/name", "app", "k8s-app")
_AUTOSCALERS = ("cluster-autoscaler", "aws-cluster-autoscaler", "karpenter")
_AUTOSCALED = ("karpenter.sh/nodepool", "eks.amazonaws.com/compute-type")


def captured(answers: Answers, *, anonymize: bool = False) -> str:
    """Return the text of an inventory: the fields that decide placement, in a fixed order.

    Names are pseudonyms if asked for. It has `complete: false` if something adds nodes when pods are pending.
    """
    objects = [kept for kept in map(pruned, answers.objects) if kept is not None]
    settings: dict[str, Any] = {}
    if answers.context and not anonymize:
        settings["metadata"] = {"name": answers.context}
    version = cluster_version(answers.version, ()) if answers.version else None
    if version is not None:
        settings["kubernetesVersion"] = version
    if grows(objects):
        settings["complete"] = False
    if anonymize:
        names = Pseudonyms(objects)
        objects = [names.renamed(value) for value in objects]
    return inventory_text(settings, objects)


def grows(objects: list[dict[str, Any]]) -> bool:
    """Whether something in the cluster adds nodes: a running autoscaler, or nodes with an autoscaler's label."""
    for value in objects:
        labels = value.get("metadata", {}).get("labels", {})
        if value["kind"] == "Node" and any(label in labels for label in _AUTOSCALED):
            return True
        if value["kind"] == "Pod" and any(labels.get(label) in _AUTOSCALERS for label in _APP_LABELS):
            return True
    return False


def inventory_text(settings: dict[str, Any], objects: Iterable[dict[str, Any]]) -> str:
    """Return a `ClusterInventory` with the settings, then the objects by kind, namespace and name."""
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
