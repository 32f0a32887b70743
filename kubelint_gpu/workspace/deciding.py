"""Which objects affect objects in other directories, and which of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

_OF_NAMESPACE = frozenset(("LimitRange", "ResourceQuota"))
"""Kinds that decide about every pod of their namespace."""
SELECTING = frozenset(("PodDisruptionBudget", "Service"))
"""Kinds that decide about the pods of their namespace with some labels."""
_USED = frozenset(("LocalQueue", "PersistentVolumeClaim", "ResourceClaim", "ResourceClaimTemplate"))
"""Kinds that decide about who names them."""
_SCALING = frozenset(("Canary", "HorizontalPodAutoscaler", "ScaledObject"))
"""Kinds that decide about the workload that they name."""
_OF_CLUSTER = {
    "ClusterQueue": "kueue.x-k8s.io/queue-name",
    "DeviceClass": "deviceClassName",
    "PersistentVolume": "claimName",
    "ResourceFlavor": "kueue.x-k8s.io/queue-name",
}
"""Kinds without a namespace, and the word without which they decide nothing."""
WITHOUT_PODS = frozenset(("ConfigMap", "NetworkPolicy", "Role", "RoleBinding", "Secret", "ServiceAccount"))
"""Further kinds of which no pod is made."""
UNNAMED = _OF_NAMESPACE | SELECTING
"""Kinds to which no name leads."""
DECISIVE = frozenset((*UNNAMED, *_USED, *_SCALING, *_OF_CLUSTER))
EVERYWHERE = "*"
"""Stands for the namespace of objects that have none."""
WORDS = pattern(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
"""The names in a text, and its other words."""
_CONTAINERS = "containers"
_NAME = r"""["']?[ \t]*:[ \t]*["']?([a-z0-9][\w.-]*)"""
_KIND = pattern(r"""\bkind["']?[ \t]*:[ \t]*["']?(\w+)""")
_NAMED = pattern(r"\b\w*(?:[nN]ame|namespace)" + _NAME)
_SPACE = pattern(r"\bnamespace" + _NAME)
_CLAIMED = pattern(r"\b(?:\w*[cC]laimName|\w*ClaimTemplateName|queue-name)" + _NAME)
_DECLARED = pattern(r"""(?m)^(?:[ \t]+|metadata:[^\n]*?[{ ,])["']?name""" + _NAME)


def decides(value: dict[str, Any]) -> tuple[str, str] | None:
    """Return the namespace that an object affects and the word that must occur there; None if it affects nothing.

    The namespace is empty if none is written, and `*` for cluster-scoped objects. The word is empty if none is needed.
    An object that is not referenced by name only affects the namespace that it names.
    """
    kind, meta, spec = value.get("kind"), value.get("metadata"), value.get("spec")
    if not isinstance(kind, str) or kind not in DECISIVE or not isinstance(meta, dict):
        return None
    name, space = meta.get("name"), meta.get("namespace")
    if kind in _OF_CLUSTER:
        return EVERYWHERE, _OF_CLUSTER[kind]
    if not isinstance(name, str) or not isinstance(space, str | None):
        return None
    if kind in UNNAMED:
        return (space, _label(spec) if kind in SELECTING else "") if space else None
    if kind in _SCALING:
        target = spec.get("scaleTargetRef", spec.get("targetRef")) if isinstance(spec, dict) else None
        name = target.get("name") if isinstance(target, dict) else None
    return (space or "", name) if isinstance(name, str) else None


def _label(spec: object) -> str:
    """A value of a label that a selector requires; empty if it requires none, or has expressions."""
    selector = spec.get("selector") if isinstance(spec, dict) else None
    labels = selector.get("matchLabels", selector) if isinstance(selector, dict) else None
    values = [value for value in labels.values() if isinstance(value, str)] if isinstance(labels, dict) else []
    return min(values, default="")


class NamesThere(Value):
    """The words in the texts of some manifests that matter for other objects.

    Attributes:
        spaces: the namespaces that they name.
        declared: the names of their objects, and some more.
        used: the claims and queues that they name.
        kinds: the cluster-scoped kinds that can affect them.
    """

    spaces: frozenset[str]
    declared: frozenset[str]
    used: frozenset[str]
    kinds: frozenset[str]


def meant_in(texts: Sequence[str]) -> NamesThere:
    """The words in the texts of some manifests that matter for other objects."""
    spaces, declared, used = (
        frozenset(name for text in texts for name in found().findall(text)) for found in (_SPACE, _DECLARED, _CLAIMED)
    )
    kinds = frozenset(kind for kind, word in _OF_CLUSTER.items() if any(word in text for text in texts))
    return NamesThere(spaces, declared, used, kinds)


def words_in(text: str) -> frozenset[str]:
    """The kinds in a text that affect others, the names in it, and a mark if it has containers."""
    kinds = DECISIVE.intersection(_KIND().findall(text))
    return frozenset((*kinds, *_NAMED().findall(text), *([_CONTAINERS] if _CONTAINERS in text else ())))


def may_decide(words: frozenset[str], meant: NamesThere) -> bool:
    """Whether a file with these `words` can contain an object that affects some manifests.

    An object with a selector affects the pods in its own file, if there are any.
    """
    return (
        _hold(words, _OF_NAMESPACE if _CONTAINERS in words else UNNAMED, meant.spaces)
        or _hold(words, _USED, meant.used)
        or _hold(words, _SCALING, meant.declared)
        or not words.isdisjoint(meant.kinds)
    )


def _hold(words: frozenset[str], kinds: frozenset[str], names: frozenset[str]) -> bool:
    return not (words.isdisjoint(kinds) or words.isdisjoint(names))
