"""Fields that do not exist in an object's kind, and kinds that the cluster does not serve."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.devices.claim_shapes import is_told
from kubelint_gpu.analysis.fields import misplaced_fields
from kubelint_gpu.analysis.fields.refused_fields import unknown_fields
from kubelint_gpu.documents import editing
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.engine.api import ApplySet, Diagnostic, FixCandidate, Manifest, Pointer, field_pointers, rule
from kubelint_gpu.kube.validation.api_fields import Misfit, homes
from kubelint_gpu.kube.values.errors import field_path
from kubelint_gpu.messages.wording import listed

_FEW = 8


@rule("KLG002")
def unknown_field(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield fields that the API server does not know: misspelt, misplaced, or of another release."""
    minor = unit.minor_release
    for manifest, unfit in zip(unit.templates, unknown_fields(unit), strict=True):
        above = _EmptyAbove(manifest)
        for found in unfit:
            if not found.wanted and not is_told(unit, manifest, found.pointer):
                yield _draft(manifest, found, minor, above)


def _draft(manifest: Manifest, found: Misfit, minor: int | None, above: _EmptyAbove) -> Diagnostic:
    key = str(found.pointer[-1])
    where = found.pointer[:-1]
    path = field_path(where) or manifest.kind
    names = misplaced_fields.fields(found, minor)
    proposals: tuple[FixCandidate, ...] = ()
    help_: tuple[str, ...] = ()
    if found.since and minor is not None:
        when = f"since 1.{found.since}" if minor < found.since else f"up to 1.{found.until}"
        text = f"{path} has the field {key} {when}, and the cluster is of 1.{minor}"
    else:
        near = misplaced_fields.near_name(key, names)
        placed = homes(found, minor)
        text = f"{path} has no field {key}"
        if near:
            help_ = (f"did you mean {near}?",)
            if near not in _mapping(manifest, where):
                safety = "safe" if near.lower() == key.lower() else "unsafe"
                proposals = (
                    FixCandidate(f"write {near}", safety, lambda: [_renamed(manifest, found.pointer, near)]),  # type: ignore[arg-type]
                )
        elif placed:
            home = placed[0]
            deep = len(home) < len(where)
            text += (
                f": it is a field of {field_path(home) or manifest.kind}, "
                f"{'so its lines are indented too far' if deep else 'which is further in'}"
            )
            if key not in _mapping(manifest, home):
                proposals = (
                    FixCandidate(
                        f"move {key} to {field_path(home)}", "unsafe", lambda: _moved(manifest, found.pointer, home)
                    ),
                )
        elif empty := above.of(found.pointer):
            help_ = (f"{empty} above it is empty: indent {key} further, so that it stands in {empty}",)
        elif len(names) <= _FEW:
            text += f"; it has {listed(names)}"
    return Diagnostic(
        "KLG002",
        manifest.place(found.pointer, "key"),
        text,
        manifest,
        cause=field_path(found.pointer),
        help=help_,
        proposals=proposals,
    )


class _EmptyAbove:
    """For each field of a manifest, the last key above without a value, from which lines may have slid out."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._of: dict[Pointer, dict[str, str]] = {}

    def of(self, pointer: Pointer) -> str:
        where = pointer[:-1]
        if where not in self._of:
            found, last = {}, ""
            for key, value in _mapping(self._manifest, where).items():
                found[key] = last
                last = last if value is not None else key
            self._of[where] = found
        return self._of[where].get(str(pointer[-1]), "")


def _mapping(manifest: Manifest, pointer: Pointer) -> dict[str, object]:
    value = field_pointers.at(manifest, pointer)
    return value if isinstance(value, dict) else {}


def _renamed(manifest: Manifest, pointer: Pointer, name: str) -> editing.Edit:
    source = manifest.item.document.source
    span = manifest.item.locate(pointer, "key")
    text = source.text[span.start : span.end]
    quote = text[:1] if text[:1] in ("'", '"') else ""
    if text.strip("'\"") != pointer[-1]:
        raise NotEditable("the key is not written plainly")
    return editing.Edit(source.path, span, f"{quote}{name}{quote}")


def _moved(manifest: Manifest, pointer: Pointer, home: Pointer) -> list[editing.Edit]:
    """Return one edit that moves the field to the end of the mapping where it belongs."""
    from kubelint_gpu.documents import moves

    if not manifest.present(home):
        raise NotEditable("there is no mapping to move it to")
    return [moves.move_key(manifest.item, pointer, home)]
