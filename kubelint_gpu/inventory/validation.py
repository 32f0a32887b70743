"""A `ClusterInventory` against its schema, each deviation as one sentence at its place."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from kubelint_gpu.inventory.declarations.complaint import error_at
from kubelint_gpu.inventory.declarations.inventory import InventoryError
from kubelint_gpu.inventory.declarations.unread import ANY, SECTIONS
from kubelint_gpu.inventory.schema import schema
from kubelint_gpu.inventory.schema_fit import FORMATS, fits
from kubelint_gpu.inventory.sentences import deviations
from kubelint_gpu.kube.values.quantity import QuantityError
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from jsonschema import Draft7Validator

    from kubelint_gpu.documents import Item, Pointer

# A file that is wrong throughout is told so, not listed.
_MOST = 100


def validate(item: Item) -> tuple[tuple[InventoryError, ...], frozenset[Pointer]]:
    """Errors of a document, and what of it must not be read: pointers of sections and of their entries."""
    if fits(item.value, schema()):
        return (), frozenset()
    errors: list[InventoryError] = []
    broken: set[Pointer] = set()
    every = (deviation for error in _validator().iter_errors(item.value) for deviation in deviations(error))
    found = list(islice(every, _MOST + 1))
    found.sort(key=lambda deviation: item.locate(deviation.pointer, deviation.role).start)
    misspelt = {(each.pointer[:-1], each.misspelt) for each in found if each.misspelt}
    for deviation in found:
        broken.add(deviation.pointer[:2])
        if any((deviation.pointer, name) in misspelt for name in deviation.missing):
            # The field is there, misspelt, and that has been said.
            continue
        error = error_at(item, deviation.pointer, deviation.sentence, deviation.hint, role=deviation.role)
        error = replace(error, of_object=bool(deviation.pointer) and kind_of(deviation.pointer[0]) is not None)
        if error not in errors:
            errors.append(error)
    if len(found) > _MOST:
        # What lies behind the last error was not looked at, so none of it may be read.
        broken |= {(section,) for section in item.value}
        sentence = f"there are more than {_MOST} errors in this inventory; these are the first"
        errors.append(error_at(item, (), sentence, role="key"))
    return tuple(errors), frozenset(broken)


def kind_of(field: str | int) -> str | None:
    """The kind of the objects that a field of a ClusterInventory declares, `ANY` of an unknown one.

    None where it declares none, but says how all of them are read.
    """
    return SECTIONS.get(str(field)) or (None if field in schema()["properties"] else ANY)


@lru_cache(maxsize=1)
def _validator() -> Draft7Validator:
    from jsonschema import Draft7Validator, FormatChecker

    formats = FormatChecker(formats=())
    for name, check in FORMATS.items():
        formats.checks(name, QuantityError)(check)
    return Draft7Validator(schema(), format_checker=formats)
