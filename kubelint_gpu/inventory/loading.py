"""Any number of files, concise and raw declarations mixed, as one inventory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubelint_gpu.documents import Item, Reading, everything
from kubelint_gpu.inventory.concise_declarations import gather_concise
from kubelint_gpu.inventory.consistency import inconsistencies, is_well_named, misnamed, without_repetitions
from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.inventory.declarations.inventory import Inventory, InventoryError
from kubelint_gpu.inventory.declarations.unread import ANY, unread
from kubelint_gpu.inventory.gathered import (
    GatheredDeclarations,
    Misreadings,
    gather_pods,
    gather_raw,
    inventory_of,
    version_of,
)
from kubelint_gpu.inventory.objects.raw import is_cluster_object
from kubelint_gpu.inventory.recognition import is_concise, meant, misread, rejection
from kubelint_gpu.kube.objects.cluster import identity
from kubelint_gpu.values import replace


def load(readings: Sequence[Reading], *, follows_schema: bool = False) -> tuple[Inventory, tuple[InventoryError, ...]]:
    """The inventory that some files declare, and everything that is wrong with them.

    Where it is known that they follow the schema they are not compared with it.
    Where there is a fatal error the inventory must not be judged by; an object with an error of its own is `unread`.
    Contradictions between declarations that are each well-formed are not looked for here: see `contradictions`.
    """
    found = GatheredDeclarations(Misreadings(readings))
    for reading in readings:
        _read(reading, found, follows_schema)
    gather_pods(found)
    slices = [each for each in found.objects if each.kind == "ResourceSlice"]
    slices += [each for one in found.pools for each in one.slices]
    if slices:
        from kubelint_gpu.inventory.dra.slices import classes_of

        found.objects += classes_of(slices, found.objects)
    objects = (*without_repetitions(found.objects), *found.pods)
    seen: dict[tuple[str, str, str], Declared] = {}
    templates = [pool.template for pool in found.pools]
    for later, error in (*misnamed(objects), *inconsistencies((*objects, *templates))):
        found.problems.append(error)
        found.unread.append(unread(later.kind, later.value))

    def counts(one: Declared) -> bool:
        return not one.name or (is_well_named(one) and seen.setdefault(identity(one.value), one) is one)

    objects = tuple(filter(counts, objects))
    found.pools = [pool for pool in found.pools if counts(pool.template)]
    version = version_of(found, objects)
    if slices:
        from kubelint_gpu.inventory.dra.slices import without_refused

        objects = without_refused(objects, found, version)
    inventory = inventory_of(found, objects, version)
    return inventory, (*found.misread.left(), *found.problems)


def _read(reading: Reading, found: GatheredDeclarations, follows_schema: bool) -> None:
    recognised = False
    others: list[Item] = []
    for document in reading.documents:
        for item in everything(document):
            value: Any = item.value
            if not isinstance(value, dict):
                others.append(item)
            elif is_concise(value):
                recognised = True
                gather_concise(item, found, follows_schema)
            elif is_cluster_object(value):
                recognised = True
                gather_raw(item, found)
            else:
                others.append(item)
    if not recognised:
        if not reading.problems:
            found.problems += rejection(reading)
        return
    for item in others:
        kind = meant(item.value)
        if kind is None:
            found.ignored[item.value["kind"]] += 1
            continue
        found.problems.append(replace(misread(item), of_object=True))
        several = kind == ANY or str(item.value.get("kind")).casefold().endswith("list")
        found.unread.append(unread(kind, None if several else item.value))
        if kind in ("Node", ANY):
            found.doubtful.add(found.unread[-1].name or None)
