"""Strategic merge patches, as kustomize applies them, on values that know their writers."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.documents import Pointer
from kubelint_gpu.sources.kustomize.list_keys import element_of, merge_key
from kubelint_gpu.sources.kustomize.traced import Traced
from kubelint_gpu.sources.kustomize.writer import Writer
from kubelint_gpu.values import dataclass

_DIRECTIVE = "$patch"


@dataclass(frozen=True, slots=True)
class Kind:
    """What decides how lists are merged."""

    api_version: str
    kind: str


def merge(target: Traced, patch: Any, writer: Writer, kind: Kind, where: Pointer = ()) -> None:
    """Apply a patch: mappings are merged, lists by their key, null takes a key away."""
    if isinstance(patch, dict):
        _merge_mapping(target, patch, writer, kind, where)
    elif isinstance(patch, list):
        _merge_list(target, patch, writer, kind, where)
    else:
        target.assign(patch, writer)


def _merge_mapping(target: Traced, patch: dict[str, Any], writer: Writer, kind: Kind, where: Pointer) -> None:
    entries = target.mapping()
    if patch.get(_DIRECTIVE) == "replace" or entries is None:
        target.assign({key: entry for key, entry in patch.items() if not key.startswith("$")}, writer)
        return
    target.writers = [*target.writers, writer]
    for key, value in patch.items():
        if key.startswith("$"):
            continue
        if value is None or (isinstance(value, dict) and value.get(_DIRECTIVE) == "delete"):
            entries.pop(key, None)
        elif key in entries:
            merge(entries[key], value, writer.child(key), kind, (*where, key))
        else:
            entries[key] = Traced(value, [writer.child(key)])


def _merge_list(target: Traced, patch: list[Any], writer: Writer, kind: Kind, where: Pointer) -> None:
    key = merge_key(kind.api_version, kind.kind, where)
    elements = target.elements()
    directives = [element.get(_DIRECTIVE) for element in patch if isinstance(element, dict)]
    if key is None or elements is None or "replace" in directives:
        if "replace" in directives:
            patch = [element for element in patch if not (isinstance(element, dict) and _DIRECTIVE in element)]
        target.assign(patch, writer)
        return
    target.writers = [*target.writers, writer]
    for index, element in enumerate(patch):
        if not isinstance(element, dict) or key not in element:
            elements.append(Traced(element, [writer.child(index)]))
            continue
        found = element_of([one.value for one in elements], key, element[key])
        if element.get(_DIRECTIVE) == "delete":
            if found is not None:
                del elements[found]
        elif found is None:
            elements.append(Traced(element, [writer.child(index)]))
        else:
            merge(elements[found], element, writer.child(index), kind, (*where, index))
