"""Objects that are declared twice."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Pointer, Related, rule

_NAME: Pointer = ("metadata", "name")


@rule("KLG007")
def duplicate_object(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield objects of the same kind, namespace and name that are applied together."""
    first: dict[tuple[str, str, str, str], Manifest] = {}
    for manifest in unit.manifests:
        key = manifest.identity
        if key is None or (manifest.workload is not None and manifest.workload.partial):
            continue
        other = first.setdefault(key, manifest)
        if other is manifest or _patches(manifest, other):
            continue
        same = other.item.value == manifest.item.value
        yield Diagnostic(
            "KLG007",
            manifest.place(_NAME),
            f"{manifest.object} is here twice{', with the same content' if same else ': the last one wins'}",
            manifest,
            cause=manifest.object,
            related=(Related(other.place(_NAME), f"{other.object} is here first"),),
        )


def _patches(one: Manifest, other: Manifest) -> bool:
    """Whether two objects of different files look like a base and a patch: one has only some fields of the other."""
    if one.path == other.path:
        return False
    fields, more = (set(_spec(manifest)) for manifest in (one, other))
    return fields < more or more < fields


def _spec(manifest: Manifest) -> dict[str, object]:
    spec = manifest.item.value.get("spec")
    return spec if isinstance(spec, dict) else {}
