"""Checks a `ClusterInventory` against its JSON Schema; each error is a helpful sentence, at its place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from kubelint_gpu.documents import Item, Pointer
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.declarations.declared import ANY, SECTIONS
from kubelint_gpu.inventory.declarations.did_you_mean import did_you_mean, nearest
from kubelint_gpu.inventory.declarations.inventory import InventoryError, error_at
from kubelint_gpu.kube.values.errors import field_path
from kubelint_gpu.kube.values.fields import described, is_label_value, is_qualified_name, is_subdomain
from kubelint_gpu.kube.values.quantity import QuantityError, parse_quantity
from kubelint_gpu.values import Value, replace

if TYPE_CHECKING:
    from jsonschema import Draft7Validator, ValidationError
# A file that is wrong throughout is told so, not listed.
_MOST = 100
_TEXT_FORMATS: dict[str, Callable[[str], bool]] = {
    "kubernetes-name": is_subdomain,
    "kubernetes-label-key": is_qualified_name,
    "kubernetes-label-value": is_label_value,
}
_TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping",
    "string": "a string",
}
_FORMATS = {
    "kubernetes-name": "must be a name of lower-case letters, digits, '-' and '.'",
    "kubernetes-label-key": "must be a label key such as example.com/zone: letters, digits, '-', '_', '.', at most 63",
    "kubernetes-label-value": "must be a label value: at most 63 letters, digits, '-', '_', '.'",
}
_BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters long",
    "maxLength": "at most {} characters long",
    "minItems": "a list of at least {}",
    "maxItems": "a list of at most {}",
    "minProperties": "a mapping of at least {}",
    "maxProperties": "a mapping of at most {}",
}
# Rules that "not …" goes well with, and beginnings of rules that go on from the field's name.
_SHORT = ("type", "enum", "const", *_BOUNDS)
_VERBS = ("must ", "has ", "needs ")


def schema_text() -> str:
    """Return the schema as `kubelint-gpu inventory schema` prints it: JSON, draft-07."""
    return Path(__file__).with_name("schema.json").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """Return the schema as data, which must not be changed."""
    found: dict[str, Any] = json.loads(schema_text())
    return found


def validate(item: Item) -> tuple[tuple[InventoryError, ...], frozenset[Pointer]]:
    """Return the errors of a document, and the pointers of sections and entries that must not be read."""
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
    """Return the kind of the objects that a field of a ClusterInventory declares, `ANY` for an unknown field.

    None for a field that declares no objects but controls how all of them are read.
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


def _of_text(is_valid: Callable[[str], bool]) -> Callable[[object], bool]:
    """Return the check of a format; it accepts other types, which the keyword `type` refuses."""
    return lambda value: not isinstance(value, str) or is_valid(value)


def _is_quantity(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return True
    if parse_quantity(value) < 0:
        raise QuantityError(f"must not be negative, as {value} is")
    return True


class Deviation(Value):
    """One difference from the schema: where, what, and a correction.

    `misspelt` is the known field that an unknown one probably means; of the `missing` fields any one would do.
    """

    pointer: Pointer
    sentence: str
    hint: str = ""
    role: Literal["key", "value"] = "value"
    misspelt: str = ""
    missing: frozenset[str] = frozenset()


def deviations(error: ValidationError) -> Iterator[Deviation]:
    """Yield the differences behind an error; several for several unknown or missing fields.

    Of alternatives the one that was probably meant is explained.
    """
    schema: dict[str, Any] = error.schema if isinstance(error.schema, dict) else {}
    at: Pointer = tuple(error.absolute_path)
    keyword = str(error.validator)
    path = field_path(at) or "the inventory"
    if keyword == "additionalProperties":
        yield from _unknown(error, at, schema)
    elif keyword == "required":
        yield from _missing(error, at)
    elif keyword in ("anyOf", "oneOf") and "errorMessage" not in schema:
        yield from _closest(error)
    elif "propertyNames" in error.schema_path:
        wrong = str(error.instance)
        sentence = f'"{_short(wrong)}" in {path} {_rule(error, schema, keyword)}'
        yield Deviation((*at, wrong), sentence, role="key")
    elif keyword == "type":
        yield Deviation(at, f"{path} {_expected(error, schema, keyword)}", _type_hint(error))
    elif keyword in ("enum", "const"):
        value: Any = error.validator_value
        choices = value if keyword == "enum" else [value]
        hint = did_you_mean(str(error.instance), [str(choice) for choice in choices])
        yield Deviation(at, f"{path} {_expected(error, schema, keyword)}", hint)
    else:
        role: Literal["key", "value"] = "key" if isinstance(error.instance, dict) else "value"
        sentence = _expected(error, schema, keyword)
        joint = " " if sentence.startswith(_VERBS) else ": "
        missing = frozenset(name for each in schema.get("anyOf", ()) for name in each.get("required", ()))
        yield Deviation(at, path + joint + sentence, role=role, missing=missing)


def _expected(error: ValidationError, schema: dict[str, Any], keyword: str) -> str:
    # What the value must be, and what it is.
    if keyword == "format" and error.cause:
        return str(error.cause)
    rule, value = _rule(error, schema, keyword), error.instance
    if isinstance(value, dict) and keyword != "type":
        return rule
    return f"{rule}, not {described(value)}" if keyword in _SHORT else f"{rule}; it is {described(value)}"


def _rule(error: ValidationError, schema: dict[str, Any], keyword: str) -> str:
    bound: Any = error.validator_value
    value: Any = error.instance
    if "errorMessage" in schema:
        message: str = schema["errorMessage"]
        return message
    if schema.get("format") == "kubernetes-quantity":
        return "must be a quantity such as 2, 500m or 16Gi"
    if keyword == "type":
        types = [bound] if isinstance(bound, str) else bound
        return f"must be {' or '.join(_TYPES.get(name, name) for name in types)}"
    if keyword in ("enum", "const"):
        return f"must be {' or '.join(map(json.dumps, bound if keyword == 'enum' else [bound]))}"
    if keyword == "format":
        return _FORMATS[bound]
    if keyword in _BOUNDS:
        return f"must be {_BOUNDS[keyword].format(bound)}"
    if keyword == "dependencies":
        present, needed = _dependency(bound, value)
        return f"has '{present}', which needs '{needed}' beside it"
    return f"must match {bound}"


def _unknown(error: ValidationError, at: Pointer, schema: dict[str, Any]) -> Iterator[Deviation]:
    known = schema.get("properties", {})
    where = f"in {field_path(at)}" if at else "in a ClusterInventory"
    value: Any = error.instance
    for key in value:
        if key not in known:
            meant = nearest(str(key), known)
            hint = f'did you mean "{meant}"?' if meant else f"known are {', '.join(known)}"
            sentence = f'unknown field "{_short(str(key))}" {where}'
            yield Deviation((*at, key), sentence, hint, "key", misspelt=meant or "")


def _missing(error: ValidationError, at: Pointer) -> Iterator[Deviation]:
    # jsonschema gives one error for each missing field and names it only in its message.
    required: Any = error.validator_value
    name = next((name for name in required if error.message.startswith(repr(name))), required[0])
    path = field_path(at) or "the inventory"
    yield Deviation(at, f"{path} has no '{name}'", role="key", missing=frozenset((name,)))


def _closest(error: ValidationError) -> Iterator[Deviation]:
    # A branch of another type than the value is not what was meant; then the one with the fewest faults is.
    branches = grouped((int(child.relative_schema_path[0]), child) for child in error.context or ())
    meant = [
        found
        for _, found in sorted(branches.items())
        if not any(child.validator == "type" and not child.relative_path for child in found)
    ]
    if meant:
        for child in min(meant, key=len):
            yield from deviations(child)
        return
    kinds = [str(child.validator_value) for found in branches.values() for child in found if child.validator == "type"]
    expected = " or ".join(dict.fromkeys(_TYPES.get(kind, kind) for kind in kinds))
    at: Pointer = tuple(error.absolute_path)
    yield Deviation(at, f"{field_path(at)} must be {expected}, not {described(error.instance)}")


def _dependency(dependencies: dict[str, list[str]], value: dict[str, Any]) -> tuple[str, str]:
    for present, needed in dependencies.items():
        for name in needed:
            if present in value and name not in value:
                return present, name
    return "", ""


def _type_hint(error: ValidationError) -> str:
    wanted, value = error.validator_value, error.instance
    if value is None:
        return "remove the key, or give it a value"
    if wanted == "string" and isinstance(value, (bool, int, float)):
        return "write it in quotes"
    if wanted in ("integer", "boolean") and isinstance(value, str):
        return "write it without quotes" if _plain(value, wanted) else ""
    if wanted == "array" and isinstance(value, dict):
        return "write each entry as a list item, with '- ' before it"
    return ""


def _plain(value: str, wanted: str) -> bool:
    if wanted == "boolean":
        return value in ("true", "false")
    return value.isascii() and value.isdigit()


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
