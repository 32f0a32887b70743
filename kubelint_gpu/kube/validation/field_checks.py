"""What the API server refuses of single fields: texts, choices, numbers and label selectors.

Source: k8s.io/apimachinery/pkg/apis/meta/v1/validation, 1.34.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kubelint_gpu.kube.values.errors import InvalidObject, Pointer, is_placeholder
from kubelint_gpu.kube.values.fields import is_label_value, is_qualified_name
from kubelint_gpu.kube.values.plain import mapping, sequence, shortened, whole

Problems = Iterator[InvalidObject]

_LABEL = 'lower case letters, digits and "-", at most 63'
NO_LABEL = f"is not a name: {_LABEL}"
NO_CONTAINER_NAME = f"is not a container name: {_LABEL}"
NO_NAMESPACE = f"is not a namespace name: {_LABEL}"
NO_VOLUME_NAME = f"is not a volume name: {_LABEL}"
NO_SUBDOMAIN = 'is not a name: lower case letters, digits, "-", ".", no "-" or "." at the ends'
NO_OBJECT_NAME = "is not the name of an object"
NO_LABEL_KEY = "is not a label key"
_WITH_VALUES, _WITHOUT = ("In", "NotIn"), ("Exists", "DoesNotExist")


def unlawful(value: Any, is_lawful: Callable[[str], bool], fault: str, where: Pointer) -> Problems:
    """Yield a text that is invalid; `fault` is the message after the text."""
    if isinstance(value, str) and not is_lawful(value) and not is_placeholder(value):
        yield InvalidObject(f'"{shortened(value)}" {fault}', where, value)


def unsupported(value: Any, choices: tuple[str, ...], where: Pointer) -> Problems:
    """Yield a text that is none of some choices."""
    if isinstance(value, str) and value not in choices and not is_placeholder(value):
        named = ", ".join(f'"{choice}"' for choice in choices)
        text = f'unsupported value "{shortened(value)}": supported values: {named}'
        yield InvalidObject(text, where, value, allowed=choices)


def negative(spec: dict[str, Any], base: Pointer, names: tuple[str, ...]) -> Problems:
    """Yield numbers below zero in fields that do not allow them."""
    for name in names:
        found = whole(spec.get(name))
        if found is not None and found < 0:
            yield InvalidObject(f"must be greater than or equal to 0, not {found}", (*base, name), spec[name])


def selector_problems(selector: Any, base: Pointer) -> Problems:
    """Every problem of a label selector."""
    for key, value in mapping(mapping(selector).get("matchLabels")).items():
        yield from unlawful(key, is_qualified_name, NO_LABEL_KEY, (*base, "matchLabels", key))
        yield from unlawful(value, is_label_value, "is not a label value", (*base, "matchLabels", key))
    for index, entry in enumerate(sequence(mapping(selector).get("matchExpressions"))):
        found, where = mapping(entry), (*base, "matchExpressions", index)
        operator, values = found.get("operator"), sequence(found.get("values"))
        yield from unlawful(found.get("key"), is_qualified_name, NO_LABEL_KEY, (*where, "key"))
        if is_placeholder(operator) or not isinstance(entry, dict):
            continue
        if operator in _WITH_VALUES and not values:
            yield InvalidObject("values must be specified when `operator` is 'In' or 'NotIn'", where, None)
        elif operator in _WITHOUT and values:
            text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield InvalidObject(text, (*where, "values"), None)
        elif operator in (None, ""):
            yield InvalidObject("operator is required: In, NotIn, Exists or DoesNotExist", where, None)
        elif isinstance(operator, str) and operator not in (*_WITH_VALUES, *_WITHOUT):
            text = f'"{shortened(operator)}" is not a valid label selector operator'
            yield InvalidObject(text, (*where, "operator"), operator)
        for number, value in enumerate(values):
            yield from unlawful(value, is_label_value, "is not a label value", (*where, "values", number))
