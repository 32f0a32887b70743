"""A `ClusterInventory` against its schema, each deviation as one sentence at its place."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from kubelint_gpu.inventory.declarations.complaint import error_at
from kubelint_gpu.inventory.declarations.inventory import InventoryError
from kubelint_gpu.inventory.declarations.unread import ANY, SECTIONS
from kubelint_gpu.inventory.schema import schema
from kubelint_gpu.inventory.sentences import deviations
from kubelint_gpu.kube.values.names import is_label_value, is_qualified_name, is_subdomain
from kubelint_gpu.kube.values.quantity import QuantityError, parse_quantity
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from collections.abc import Callable

    from jsonschema import Draft7Validator

    from kubelint_gpu.documents import Item, Pointer

# A file that is wrong throughout is told so, not listed.
_MOST = 100


def validate(item: Item) -> tuple[tuple[InventoryError, ...], frozenset[Pointer]]:
    """Errors of a document, and what of it must not be read: pointers of sections and of their entries."""
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
    formats.checks("kubernetes-quantity", QuantityError)(_is_quantity)
    for name, is_valid in _TEXT_FORMATS.items():
        formats.checks(name)(_of_text(is_valid))
    return Draft7Validator(schema(), format_checker=formats)


_TEXT_FORMATS: dict[str, Callable[[str], bool]] = {
    "kubernetes-name": is_subdomain,
    "kubernetes-label-key": is_qualified_name,
    "kubernetes-label-value": is_label_value,
}


def _of_text(is_valid: Callable[[str], bool]) -> Callable[[object], bool]:
    """Return the check of a format; it accepts other types, which the keyword `type` refuses."""
    return lambda value: not isinstance(value, str) or is_valid(value)


def _is_quantity(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return True
    if parse_quantity(value) < 0:
        raise QuantityError(f"must not be negative, as {value} is")
    return True
