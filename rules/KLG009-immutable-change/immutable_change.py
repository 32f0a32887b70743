"""Changes of existing objects that the API server refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kubelint_gpu.documents import value_at
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Related, rule
from kubelint_gpu.kube.values.errors import Pointer, field_path
from kubelint_gpu.kube.values.plain import mapping, written
from kubelint_gpu.workspace.field_pointers import at
from kubelint_gpu.workspace.kind_validation import existing

if TYPE_CHECKING:
    from kubelint_gpu.kube.updates.normal_form import RefusedChange


_MOST_RELATED = 4
_LONG = 40
_ONCE = (
    "patch it once with kubectl patch --type merge, the type and rollingUpdate: null: then each later apply succeeds"
)
# Flux deletes and creates it anew
_RECREATED = "kustomize.toolkit.fluxcd.io/force"
_ORPHAN = ("Deployment", "ReplicaSet", "DaemonSet", "StatefulSet")


@rule("KLG009")
def immutable_change(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield fields that differ from the running object or the inventory, and that no update may change."""
    for manifest in unit.manifests:
        value = existing(manifest, unit.before, unit.world)
        annotations = mapping(at(manifest, ("metadata", "annotations")))
        if value and written(annotations.get(_RECREATED)).casefold() != "enabled":
            from kubelint_gpu.kube.updates.object_updates import refused_changes

            captured = manifest.object not in unit.before
            for change in refused_changes(value, manifest.item.value, unit.minor_release, captured=captured):
                yield _draft(value, manifest, change)


def _draft(before: dict[str, Any], manifest: Manifest, change: RefusedChange) -> Diagnostic:
    written = [pointer for pointer in change.at if manifest.present(pointer)]
    first, *rest = [*written, *(pointer for pointer in change.at if pointer not in written)]
    where = f" {change.where}" if change.where else ""
    return Diagnostic(
        "KLG009",
        manifest.place(first),
        f"the API server refuses {_change_text(before, manifest, first)}{where}: {change.answer}",
        manifest,
        cause=field_path(first),
        certainty="possible" if where else "certain",
        severity="note" if where else None,
        related=tuple(
            Related(manifest.place(pointer), _change_text(before, manifest, pointer))
            for pointer in rest[:_MOST_RELATED]
            if manifest.present(pointer)
        ),
        help=(_ONCE,) if where else _help(manifest, first),
    )


def _change_text(before: dict[str, Any], manifest: Manifest, pointer: Pointer) -> str:
    path = field_path(pointer)
    old, new = value_at(before, pointer), at(manifest, pointer)
    if old is None:
        return f"the new field {path}"
    if new is None:
        return f"the removal of {path}"
    if isinstance(new, list) and isinstance(old, list) and len(new) < len(old):
        return f"{len(old) - len(new)} fewer in {path}"
    shown = [_shown(value) for value in (old, new)]
    return f"a change of {path}{f' from {shown[0]} to {shown[1]}' if all(shown) else ''}"


def _shown(value: object) -> str:
    """Return a scalar as written; empty if it is too long."""
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value) if isinstance(value, (str, int, float)) else ""
    if not text and isinstance(value, str):
        return '""'
    return text if len(text) <= _LONG and "\n" not in text else ""


def _help(manifest: Manifest, pointer: Pointer) -> tuple[str, ...]:
    if manifest.kind == "PersistentVolumeClaim":
        return ("leave the field as it is: under another name the claim gets a new, empty volume",)
    if manifest.kind in _ORPHAN:
        grown = "to grow the volumes, patch their claims first; " if "volumeClaimTemplates" in pointer else ""
        anew = (
            f"{grown}delete the {manifest.kind} and create it again; with kubectl delete --cascade=orphan its pods stay"
        )
        return ("leave the field as it is, or give the object another name", anew)
    if manifest.kind in ("Job", "Pod"):
        return (f"delete the {manifest.kind} first, or give it another name",)
    return ("leave the field as it is, or give the object another name",)
