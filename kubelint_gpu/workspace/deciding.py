"""Which objects decide about others that do not lie in their directory, and about which of these."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.patterns import pattern

_OF_NAMESPACE = frozenset(("LimitRange", "ResourceQuota"))
"""Kinds that decide about every pod of their namespace."""
_SELECTING = frozenset(("PodDisruptionBudget", "Service"))
"""Kinds that decide about the pods of their namespace with some labels."""
_USED = frozenset(("LocalQueue", "PersistentVolumeClaim", "ResourceClaim", "ResourceClaimTemplate"))
"""Kinds that decide about who names them."""
_SCALING = frozenset(("HorizontalPodAutoscaler", "ScaledObject"))
"""Kinds that decide about whom they name."""
_OF_CLUSTER = {
    "ClusterQueue": "kueue.x-k8s.io/queue-name",
    "DeviceClass": "deviceClassName",
    "PersistentVolume": "claimName",
    "ResourceFlavor": "kueue.x-k8s.io/queue-name",
}
"""Kinds without a namespace, and the word without which they decide nothing."""
DECISIVE = frozenset((*_OF_NAMESPACE, *_SELECTING, *_USED, *_SCALING, *_OF_CLUSTER))
EVERYWHERE = "*"
"""Stands for the namespace of objects that have none."""
WORDS = pattern(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
"""The names in a text, and its other words."""
_NAMED = pattern(r"""\b\w*(?:[nN]ame|namespace)["']?[ \t]*:[ \t]*["']?([a-z0-9][\w.-]*)""")


def decides(value: dict[str, Any]) -> tuple[str, str] | None:
    """Return the namespace in which an object decides and the word that must be there; None if it decides nothing.

    The namespace is empty if none is written, and `*` for objects without one. The word is empty if none is needed.
    An object that no name leads to decides only in the namespace that it names.
    """
    kind, meta, spec = value.get("kind"), value.get("metadata"), value.get("spec")
    if not isinstance(kind, str) or kind not in DECISIVE or not isinstance(meta, dict):
        return None
    name, space = meta.get("name"), meta.get("namespace")
    if kind in _OF_CLUSTER:
        return EVERYWHERE, _OF_CLUSTER[kind]
    if not isinstance(name, str) or not isinstance(space, str | None):
        return None
    if kind in _OF_NAMESPACE or kind in _SELECTING:
        return (space, _label(spec) if kind in _SELECTING else "") if space else None
    if kind in _SCALING:
        target = spec.get("scaleTargetRef") if isinstance(spec, dict) else None
        name = target.get("name") if isinstance(target, dict) else None
    return (space or "", name) if isinstance(name, str) else None


def _label(spec: object) -> str:
    """Return the value of a label that a selector asks for; empty if it asks for none, or for more than values."""
    selector = spec.get("selector") if isinstance(spec, dict) else None
    labels = selector.get("matchLabels", selector) if isinstance(selector, dict) else None
    values = [value for value in labels.values() if isinstance(value, str)] if isinstance(labels, dict) else []
    return min(values, default="")


def names_in(text: str) -> frozenset[str]:
    """Return what a text gives as a name or a namespace, of an object or of something that it uses."""
    return frozenset(_NAMED().findall(text))
