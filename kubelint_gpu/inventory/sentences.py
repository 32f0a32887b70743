"""Errors of jsonschema as sentences that a person can act on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from kubelint_gpu.inventory.suggestion import did_you_mean
from kubelint_gpu.kube.errors import field_path
from kubelint_gpu.kube.fields import described

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import ValidationError

    from kubelint_gpu.documents import Pointer

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


@dataclass(frozen=True, slots=True)
class Deviation:
    """One thing that is not as the schema has it: where, what, and what would be right."""

    pointer: Pointer
    sentence: str
    hint: str = ""
    role: Literal["key", "value"] = "value"


def deviations(error: ValidationError) -> Iterator[Deviation]:
    """What an error means; several for several unknown or missing fields.

    Of alternatives the one that was probably meant is explained.
    """
    schema: dict[str, Any] = error.schema if isinstance(error.schema, dict) else {}
    at: Pointer = tuple(error.absolute_path)
    keyword = str(error.validator)
    path = field_path(at) or "the inventory"
    if keyword == "additionalProperties":
        yield from _unknown(error, at, schema)
    elif keyword == "required":
        # One error for each missing field; the field is not named but in the message.
        yield from _missing(error, at)
    elif keyword in ("anyOf", "oneOf") and "errorMessage" not in schema:
        yield from _closest(error)
    elif "propertyNames" in error.schema_path:
        wrong = str(error.instance)
        sentence = f'"{_short(wrong)}" in {path} {_expected(error, schema, keyword)}'
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
        yield Deviation(at, f"{path} {_expected(error, schema, keyword)}", role=role)


def _expected(error: ValidationError, schema: dict[str, Any], keyword: str) -> str:
    # What the value must be, and what it is.
    value: Any = error.instance
    bound: Any = error.validator_value
    if keyword == "type":
        types = [bound] if isinstance(bound, str) else bound
        return f"must be {' or '.join(_TYPES.get(name, name) for name in types)}, not {described(value)}"
    if "errorMessage" in schema:
        message: str = schema["errorMessage"]
        return message + ("" if isinstance(value, dict) else f"; it is {described(value)}")
    if keyword in ("enum", "const"):
        choices = bound if keyword == "enum" else [bound]
        return f"must be {' or '.join(map(json.dumps, choices))}, not {described(value)}"
    if keyword == "format":
        return str(error.cause) if error.cause else f"{_FORMATS[bound]}; it is {described(value)}"
    if keyword in _BOUNDS:
        found = "" if isinstance(value, dict) else f", not {described(value)}"
        return f"must be {_BOUNDS[keyword].format(bound)}{found}"
    if keyword == "dependencies":
        present, needed = _dependency(bound, value)
        return f"has '{present}', which needs '{needed}' beside it"
    if keyword == "pattern":
        return f"must match {bound}; it is {described(value)}"
    return "is not as it must be"


def _unknown(error: ValidationError, at: Pointer, schema: dict[str, Any]) -> Iterator[Deviation]:
    known = schema.get("properties", {})
    where = f"in {field_path(at)}" if at else "in a ClusterInventory"
    value: Any = error.instance
    for key in value:
        if key not in known:
            hint = did_you_mean(str(key), known) or f"known are {', '.join(known)}"
            yield Deviation((*at, key), f'unknown field "{_short(str(key))}" {where}', hint, "key")


def _missing(error: ValidationError, at: Pointer) -> Iterator[Deviation]:
    value: Any = error.instance
    required: Any = error.validator_value
    needed = [name for name in required if name not in value]
    path = field_path(at) or "the inventory"
    hint = "" if len(needed) == 1 else f"all that is missing: {', '.join(needed)}"
    name = next((name for name in needed if error.message.startswith(repr(name))), needed[0])
    similar = did_you_mean(name, [str(key) for key in value])
    yield Deviation(at, f"{path} has no '{name}'", similar.replace("did you mean", "is it") or hint, "key")


def _closest(error: ValidationError) -> Iterator[Deviation]:
    # A branch of another type than the value is not what was meant; then the one with the fewest faults is.
    branches: dict[int, list[ValidationError]] = {}
    for child in error.context or ():
        branches.setdefault(int(child.relative_schema_path[0]), []).append(child)
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
        return f'write it in quotes: "{str(value).lower() if isinstance(value, bool) else value}"'
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
