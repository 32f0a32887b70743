"""Errors of jsonschema as sentences that a person can act on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.declarations.did_you_mean import did_you_mean, nearest
from kubelint_gpu.kube.values.errors import field_path
from kubelint_gpu.kube.values.fields import described
from kubelint_gpu.values import Value

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


# Rules that "not …" goes well with, and beginnings of rules that go on from the field's name.
_SHORT = ("type", "enum", "const", *_BOUNDS)
_VERBS = ("must ", "has ", "needs ")


class Deviation(Value):
    """One thing that is not as the schema has it: where, what, and what would be right.

    `misspelt` is the field that an unknown one was probably meant to be; `missing` are fields any of which would do.
    """

    pointer: Pointer
    sentence: str
    hint: str = ""
    role: Literal["key", "value"] = "value"
    misspelt: str = ""
    missing: frozenset[str] = frozenset()


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
