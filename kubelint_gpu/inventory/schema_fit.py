"""Whether a value fits the schema: most inventories do, and then the library that tells deviations is not loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from kubelint_gpu.inventory.schema import schema
from kubelint_gpu.kube.values.names import is_label_value, is_qualified_name, is_subdomain
from kubelint_gpu.kube.values.quantity import QuantityError, parse_quantity
from kubelint_gpu.patterns import pattern

_TYPES = {str: "string", dict: "object", list: "array", bool: "boolean", int: "integer", float: "number"}
_SILENT = ("$schema", "definitions", "description", "title", "examples", "default", "errorMessage", "then", "else")


def fits(value: Any, wanted: Mapping[str, Any]) -> bool:
    """Whether plain data is as a part of the schema says; KeyError where that has a keyword not used so far."""
    if "$ref" in wanted:
        return fits(value, schema()["definitions"][wanted["$ref"].rpartition("/")[2]])
    own = _TYPES.get(value.__class__, "null")
    checks = ((_KEYWORDS[word], given) for word, given in wanted.items() if word not in _SILENT)
    return all(own not in (types or own) or check(value, given, wanted) for (types, check), given in checks)


def _is_quantity(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return True
    if parse_quantity(value) < 0:
        raise QuantityError(f"must not be negative, as {value} is")
    return True


def _text(check: Callable[[str], bool]) -> Callable[[object], bool]:
    # A format says nothing of other types; the keyword `type` does.
    return lambda value: not isinstance(value, str) or check(value)


FORMATS: dict[str, Callable[[object], bool]] = {
    "kubernetes-quantity": _is_quantity,
    "kubernetes-name": _text(is_subdomain),
    "kubernetes-label-key": _text(is_qualified_name),
    "kubernetes-label-value": _text(is_label_value),
}


def _is(value: Any, name: str) -> bool:
    own = _TYPES.get(value.__class__, "null")
    return name == own or (name == "number" and own == "integer") or (name == "integer" and str(value)[-2:] == ".0")


def _is_of_format(value: Any, name: str, _wanted: Any) -> bool:
    with suppress(QuantityError):
        return FORMATS[name](value)
    return False


def _further_fit(value: Any, given: Any, wanted: Any) -> bool:
    further = [value[key] for key in value if key not in wanted.get("properties", ())]
    return all(given is not False and fits(one, given) for one in further)


_KEYWORDS: dict[str, tuple[str, Callable[[Any, Any, Any], bool]]] = {
    "type": ("", lambda value, of, _: any(_is(value, one) for one in (of if isinstance(of, list) else [of]))),
    "const": ("", lambda value, given, _: value == given),
    "enum": ("", lambda value, given, _: value in given),
    "format": ("", _is_of_format),
    "not": ("", lambda value, given, _: not fits(value, given)),
    "anyOf": ("", lambda value, given, _: any(fits(value, one) for one in given)),
    "allOf": ("", lambda value, given, _: all(fits(value, one) for one in given)),
    "if": ("", lambda value, given, wanted: fits(value, wanted["then" if fits(value, given) else "else"])),
    "minimum": ("integer number", lambda value, given, _: value >= given),
    "maximum": ("integer number", lambda value, given, _: value <= given),
    "pattern": ("string", lambda value, given, _: pattern(given).search(value) is not None),
    "required": ("object", lambda value, given, _: value.keys() >= {*given}),
    "properties": ("object", lambda value, given, _: all(fits(value[key], given[key]) for key in given.keys() & value)),
    "additionalProperties": ("object", _further_fit),
    "propertyNames": ("object", lambda value, given, _: all(fits(key, given) for key in value)),
    "dependencies": ("object", lambda value, given, _: all({*given[key]} <= {*value} for key in given.keys() & value)),
    "items": ("array", lambda value, given, _: all(fits(one, given) for one in value)),
}
for _name, _type in (("Length", "string"), ("Items", "array"), ("Properties", "object")):
    _KEYWORDS[f"min{_name}"] = _type, lambda value, given, _: len(value) >= given
    _KEYWORDS[f"max{_name}"] = _type, lambda value, given, _: len(value) <= given
