"""Where a field belongs that its object does not have: under another name, or in another mapping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from kubelint_gpu.analysis.fields.refused_fields import unknown_fields
from kubelint_gpu.budget import TOLD
from kubelint_gpu.documents import Item, Pointer
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.validation.api_fields import Misfit, homes
from kubelint_gpu.kube.validation.api_table import table
from kubelint_gpu.kube.values.errors import field_path
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest

MISPLACED = "KLG002"
"""The rule that tells of such fields, and whose fixes put them where they belong."""


class Misplaced(Value):
    """A field that stands where its object has none, and where it belongs.

    Attributes:
        template: which of the unit's templates has it.
        pointer: the field as it is written.
        meant: the field that was probably meant; nothing stands there.
    """

    template: int
    pointer: Pointer
    meant: Pointer


def misplaced_in(unit: ApplySet, manifest: Manifest) -> Sequence[Misplaced]:
    """The fields of an object that a rename or a move would put where nothing stands."""
    return _by_object(unit).get(manifest.item, ())


@once
def _by_object(unit: ApplySet) -> dict[Item, list[Misplaced]]:
    return grouped((unit.templates[one.template].item, one) for one in misplaced(unit))


def misplaced(unit: ApplySet) -> Iterator[Misplaced]:
    """The fields of a unit that a rename or a move would put where nothing stands."""
    minor = unit.minor_release
    for number, unfit in enumerate(unknown_fields(unit)):
        for found in unfit:
            meant = None if found.wanted else belongs(found, minor)
            if meant is not None and not unit.templates[number].present(meant):
                yield Misplaced(number, found.pointer, meant)


def belongs(found: Misfit, minor: int | None) -> Pointer | None:
    """The field that an unknown one was probably meant to be; None where none is like it."""
    if found.since and minor is not None:
        return None
    near = near_name(str(found.pointer[-1]), fields(found, minor))
    if near:
        return (*found.pointer[:-1], near)
    placed = homes(found, minor)
    return (*placed[0], found.pointer[-1]) if placed else None


def fields(found: Misfit, minor: int | None) -> tuple[str, ...]:
    """The fields of the mapping that an unknown one stands in."""
    return tuple(table().codes(found.types[-1][1], minor))


@lru_cache(maxsize=1024)
def near_name(key: str, names: tuple[str, ...]) -> str:
    """The field that is written almost like a key; empty where none is."""
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
    """Whether length and letters allow it: each letter that only one of two texts has is a place where they differ."""
    length = len(name) + len(key)
    differ = max(abs(len(name) - len(key)), len(letters ^ _letters(name)))
    return differ <= length - TOLD.alike * length


@lru_cache(maxsize=4096)
def _letters(name: str) -> frozenset[str]:
    return frozenset(name)


def overtaken(waiting: Sequence[Misplaced], changed: ApplySet) -> str:
    """Why a change comes too early that writes a field whose misplaced one is left; empty where it does not."""
    for one in waiting:
        if one.template >= len(changed.templates):
            continue
        after = changed.templates[one.template]
        if after.present(one.meant) and after.present(one.pointer):
            return f"{field_path(one.pointer)} was probably meant for it: mend that first (KLG002)"
    return ""
