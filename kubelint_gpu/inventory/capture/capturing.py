"""From a cluster's answers to the text of an inventory."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.inventory.capture.captured_text import inventory_text
from kubelint_gpu.inventory.capture.pruning import pruned
from kubelint_gpu.inventory.capture.pseudonyms import Pseudonyms
from kubelint_gpu.inventory.kubernetes_version import cluster_version
from kubelint_gpu.sources.kubectl import Answers

_APP_LABELS = ("app.kubernetes.io/name", "app", "k8s-app")
_AUTOSCALERS = ("cluster-autoscaler", "aws-cluster-autoscaler", "karpenter")
_AUTOSCALED = ("karpenter.sh/nodepool", "eks.amazonaws.com/compute-type")


def captured(answers: Answers, *, anonymize: bool = False) -> str:
    """The text of an inventory: what decides placement, in a fixed order, under pseudonyms if asked for.

    It says `complete: false` where nodes show that something adds more of them when pods wait.
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
    """Whether something in the cluster adds nodes: a running autoscaler, or nodes that one has made."""
    for value in objects:
        labels = value.get("metadata", {}).get("labels", {})
        if value["kind"] == "Node" and any(label in labels for label in _AUTOSCALED):
            return True
        if value["kind"] == "Pod" and any(labels.get(label) in _AUTOSCALERS for label in _APP_LABELS):
            return True
    return False
