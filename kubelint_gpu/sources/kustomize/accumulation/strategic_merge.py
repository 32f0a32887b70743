"""Strategic merge patches, as kustomize applies them, on values that know their writers.

The merge keys of lists are the `patchMergeKey` tags of k8s.io/api, as in kustomize's copy of the OpenAPI schema.
"""

from __future__ import annotations

from typing import Any

from kubelint_gpu.documents import Pointer
from kubelint_gpu.sources.kustomize.accumulation.traced import FieldWriter, Traced
from kubelint_gpu.values import Value

_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "ephemeralContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
    "imagePullSecrets": "name",
    "secrets": "name",
    "hostAliases": "ip",
    "topologySpreadConstraints": "topologyKey",
    "resourceClaims": "name",
    "webhooks": "name",
}
_DIRECTIVE = "$patch"


def merge_key(api_version: str, kind: str, where: Pointer) -> str | None:
    """Return the merge key of the list at a pointer; None if the list is replaced as a whole."""
    group = api_version.rpartition("/")[0]
    if "." in group and (not group.endswith(".k8s.io") or group.endswith("x-k8s.io")):
        return None
    names = [step for step in where if isinstance(step, str)]
    if not names:
        return None
    if names[-1] == "ports":
        return "port" if kind == "Service" else "containerPort"
    if names[-1] == "claims" and names[-2:-1] == ["resources"]:
        return "name"
    return _KEYS.get(names[-1])


def element_of(elements: list[Any], key: str, value: Any) -> int | None:
    """Return the index of the element whose key has this value; None if there is none."""
    for index, element in enumerate(elements):
        if isinstance(element, dict) and key in element and element[key] == value:
            return index
    return None


class PatchKind(Value):
    """The API version and kind, which decide how lists are merged."""

    api_version: str
    kind: str


def merge(target: Traced, patch: Any, writer: FieldWriter, kind: PatchKind, where: Pointer = ()) -> None:
    """Apply a patch: mappings are merged, lists by their merge key; null removes a key."""
    if isinstance(patch, dict):
        _merge_mapping(target, patch, writer, kind, where)
    elif isinstance(patch, list):
        _merge_list(target, patch, writer, kind, where)
    else:
        target.assign(patch, writer)


def _merge_mapping(target: Traced, patch: dict[str, Any], writer: FieldWriter, kind: PatchKind, where: Pointer) -> None:
    entries = target.mapping()
    if patch.get(_DIRECTIVE) == "replace" or entries is None:
        _take_place(target, patch, writer, kind, where)
        return
    target.writers = [*target.writers, writer]
    for key, value in patch.items():
        if key.startswith("$"):
            continue
        below = (*where, key)
        taken = _taking(value, writer.child(key), kind, below)
        if taken is not None:
            target.take(key, taken)
        elif key in entries:
            merge(entries[key], value, writer.child(key), kind, below)
        else:
            entries[key] = _fresh(value, writer.child(key), kind, below)


def _merge_list(target: Traced, patch: list[Any], writer: FieldWriter, kind: PatchKind, where: Pointer) -> None:
    key = merge_key(kind.api_version, kind.kind, where)
    elements = target.elements()
    if key is None or elements is None or _of_list(patch, key)[0] == "replace":
        _take_place(target, patch, writer, kind, where)
        return
    target.writers = [*target.writers, writer]
    for index, element in enumerate(patch):
        mine, below = writer.child(index), (*where, index)
        if not isinstance(element, dict) or key not in element:
            if not _is_directive(element):
                elements.append(_fresh(element, mine, kind, below))
            continue
        found = element_of([one.value for one in elements], key, element[key])
        if element.get(_DIRECTIVE) == "delete":
            if found is not None:
                target.take_element(found, mine.child(_DIRECTIVE))
        elif found is None:
            elements.append(_fresh(element, mine, kind, below))
        elif element.get(_DIRECTIVE) != "replace":
            # an element that asks to replace one of its name is passed over
            merge(elements[found], element, mine, kind, below)


def _taking(value: Any, writer: FieldWriter, kind: PatchKind, where: Pointer) -> FieldWriter | None:
    """Return the writer that removes a field by null or a directive in the patch; None if the field stays."""
    if value is None:
        return writer
    if isinstance(value, dict):
        return writer.child(_DIRECTIVE) if value.get(_DIRECTIVE) == "delete" else None
    key = merge_key(kind.api_version, kind.kind, where) if isinstance(value, list) else None
    directive, index = _of_list(value, key) if key is not None else ("", 0)
    return writer.child(index) if directive == "delete" else None


def _of_list(patch: list[Any], key: str) -> tuple[str, int]:
    """Return the directive for the list as a whole, and the index of the element that holds it."""
    for index, element in enumerate(patch):
        if isinstance(element, dict) and key not in element and element.get(_DIRECTIVE) in ("replace", "delete"):
            return element[_DIRECTIVE], index
    return "", 0


def _take_place(target: Traced, value: Any, writer: FieldWriter, kind: PatchKind, where: Pointer) -> None:
    """Replace a value by another one, without its directives."""
    made = _fresh(value, writer, kind, where)
    target.assign(made.value, writer)
    target.children = made.children


def _fresh(value: Any, writer: FieldWriter, kind: PatchKind, where: Pointer) -> Traced:
    """Return a new value without nulls and directives, which have nothing to remove."""
    made = Traced(value, [writer])
    if isinstance(value, dict):
        made.children = {
            key: _fresh(entry, writer.child(key), kind, (*where, key))
            for key, entry in value.items()
            if not key.startswith("$") and _taking(entry, writer, kind, (*where, key)) is None
        }
    elif isinstance(value, list) and merge_key(kind.api_version, kind.kind, where) is not None:
        made.children = [
            _fresh(element, writer.child(index), kind, (*where, index))
            for index, element in enumerate(value)
            if not _is_directive(element) and not (isinstance(element, dict) and element.get(_DIRECTIVE) == "delete")
        ]
    return made


def _is_directive(element: Any) -> bool:
    """Whether an element holds only a directive."""
    return isinstance(element, dict) and list(element) == [_DIRECTIVE]
