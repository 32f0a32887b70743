"""The relaxation of an object: whatever is filled in later, its pods ask for no less and find no more nodes.

If the relaxation finds no room, no object with filled-in values does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubelint_gpu.kube.objects.affinity import REQUIRED
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.kube.values.selectors import NODE_NAME_FIELD

_ABSENT = object()
# pods of an unknown class count as of the highest priority, a claim suits every node, labels equal only themselves
_OPAQUE = ("priorityClassName", "claimName", "labels", "matchLabels", "labelSelector", "namespaceSelector")


def relaxed(value: dict[str, Any], unknown: Iterable[Pointer]) -> Any:
    """The object with the least demanding value, or none, in each field that is filled in later."""
    found: Any = value
    for pointer in unknown:
        for at, least in _least(pointer):
            found = _written(found, at, least)
    return found


def is_opaque(pointer: Pointer) -> bool:
    """Whether a field stays and no rollout depends on it: a priority class, or names and labels of pods."""
    return pointer[-1] == "priorityClassName" or "labels" in pointer or pointer[:2] == ("spec", "selector")


def _least(pointer: Pointer) -> tuple[tuple[Pointer, Any], ...]:
    """The values to write so that a field demands nothing; a list keeps its length, so that places stay valid."""
    if pointer == ("spec", "selector"):
        return ((pointer, {"matchExpressions": [{"key": "filled-in-later", "operator": "DoesNotExist"}]}),)
    if pointer == ("spec", "podManagementPolicy"):
        return ((pointer, "Parallel"),)
    required = REQUIRED in pointer
    for place, part in enumerate(pointer):
        entry = pointer[: place + 2]
        if part in ("scopes", "scopeSelector"):
            # a quota of pods that are not known may count none
            return ((("spec", "hard"), _ABSENT),)
        if part == "tolerations":
            return _any_taint(pointer, entry)
        if part == "topologySpreadConstraints":
            return (((*entry, "whenUnsatisfiable"), "ScheduleAnyway"), *_any_domain(pointer))
        if required and (part == "podAffinity" or (part == "podAntiAffinity" and pointer[-1] == "topologyKey")):
            return (((*pointer[: place + 1], REQUIRED), _ABSENT),)
        if part == "nodeAffinity" and "matchExpressions" in pointer:
            entry = pointer[: pointer.index("matchExpressions") + 2]
            return ((entry, {"key": "filled-in-later", "operator": "DoesNotExist"}),)
        if part == "nodeAffinity" and "matchFields" in pointer:
            entry = pointer[: pointer.index("matchFields") + 2]
            return ((entry, {"key": NODE_NAME_FIELD, "operator": "NotIn", "values": ["filled in later"]}),)
        if part in ("limits", "requests"):
            return ((pointer, "1"),)
        if part in _OPAQUE:
            return ()
    return _any_domain(pointer) or ((pointer, _ABSENT),)


def _any_taint(pointer: Pointer, entry: Pointer) -> tuple[tuple[Pointer, Any], ...]:
    """A toleration of everything that it may cover later."""
    if pointer[-1] == "tolerations":
        return ((pointer, [{"operator": "Exists"}]),)
    if pointer[-1] == "effect":
        return ((pointer, _ABSENT),)
    if pointer[-1] in ("operator", "value"):
        return (((*entry, "operator"), "Exists"), ((*entry, "value"), _ABSENT))
    return ((entry, {"operator": "Exists"}),)


def _any_domain(pointer: Pointer) -> tuple[tuple[Pointer, Any], ...]:
    """The topology key that separates pods least, if the key is unknown."""
    return ((pointer, "kubernetes.io/hostname"),) if pointer[-1] == "topologyKey" else ()


def _written(value: Any, pointer: Pointer, new: Any) -> Any:
    """A copy of a value that differs only at a pointer; the value itself if the path does not exist."""
    part: Any = pointer[0]
    if not isinstance(value, dict if isinstance(part, str) else list):
        return value
    copy = value.copy()
    if len(pointer) > 1:
        if isinstance(value, list) or part in value:
            copy[part] = _written(value[part], pointer[1:], new)
    elif new is not _ABSENT:
        copy[part] = new
    elif isinstance(copy, dict):
        copy.pop(part, None)
    return copy
