"""Where an unknown field belongs: under another name, or in another mapping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from kubelint_gpu.analysis.fields.refused_fields import unknown_fields
from kubelint_gpu.budget import TOLD
from kubelint_gpu.documents import Item, Pointer
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.validation.api_fields import Misfit, homes, table
from kubelint_gpu.kube.values.errors import field_path
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest

MISPLACED = "KLG002"
"""The rule that tells of such fields, and whose fixes put them where they belong."""


class Misplaced(Value):
    """An unknown field, and the field that was meant.

    Attributes:
        template: the index of the unit's template that has it.
        pointer: the field as written.
        meant: the field that was probably meant; it is not written.
    """

    template: int
    pointer: Pointer
    meant: Pointer


def misplaced_in(unit: ApplySet, manifest: Manifest) -> Sequence[Misplaced]:
    """The unknown fields of an object that can be renamed or moved to an unused place."""
    return _by_object(unit).get(manifest.item, ())


@once
def _by_object(unit: ApplySet) -> dict[Item, list[Misplaced]]:
    return grouped((unit.templates[one.template].item, one) for one in misplaced(unit))


def misplaced(unit: ApplySet) -> Iterator[Misplaced]:
    """Yield the unknown fields of a unit that can be renamed or moved to an unused place."""
    minor = unit.minor_release
    for number, unfit in enumerate(unknown_fields(unit)):
        for found in unfit:
            meant = None if found.wanted else belongs(found, minor)
            if meant is not None and not unit.templates[number].present(meant):
                yield Misplaced(number, found.pointer, meant)


def belongs(found: Misfit, minor: int | None) -> Pointer | None:
    """The field that was probably meant by an unknown one; None if none is similar."""
    if found.since and minor is not None:
        return None
    near = near_name(str(found.pointer[-1]), fields(found, minor))
    if near:
        return (*found.pointer[:-1], near)
    placed = homes(found, minor)
    return (*placed[0], found.pointer[-1]) if placed else None


def fields(found: Misfit, minor: int | None) -> tuple[str, ...]:
    """The valid fields of the mapping that contains an unknown one."""
    return tuple(table().codes(found.types[-1][1], minor))


@lru_cache(maxsize=1024)
def near_name(key: str, names: tuple[str, ...]) -> str:
    """The field whose name is almost equal to a key; empty if there is none."""
    import difflib

    plain = key.lower().replace("_", "").replace("-", "")
    for name in names:
        if name.lower() == plain:
            return name
    letters = frozenset(key)
    perhaps = [name for name in names if _may_be_alike(key, letters, name)]
    close = difflib.get_close_matches(key, perhaps, 1, TOLD.alike) if perhaps else []
    return close[0] if close else ""


def _may_be_alike(key: str, letters: frozenset[str], name: str) -> bool:
    """A cheap check by length and letters: each letter that only one of two texts has is a difference."""
    length = len(name) + len(key)
    differ = max(abs(len(name) - len(key)), len(letters ^ _letters(name)))
    return differ <= length - TOLD.alike * length


@lru_cache(maxsize=4096)
def _letters(name: str) -> frozenset[str]:
    return frozenset(name)


def overtaken(waiting: Sequence[Misplaced], changed: ApplySet) -> str:
    """Why a change must wait that writes a field whose misplaced variant is still there; empty if it need not."""
    for one in waiting:
        if one.template >= len(changed.templates):
            continue
        after = changed.templates[one.template]
        if after.present(one.meant) and after.present(one.pointer):
            return f"{field_path(one.pointer)} was probably meant for it: mend that first (KLG002)"
    return ""
