"""What the API server refuses of a label selector.

Source: k8s.io/apimachinery/pkg/apis/meta/v1/validation, 1.34.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.kube.values.errors import InvalidObject, Pointer, is_placeholder
from kubelint_gpu.kube.values.names import is_label_value, is_qualified_name
from kubelint_gpu.kube.values.plain import mapping, sequence, shortened

_WITH_VALUES, _WITHOUT = ("In", "NotIn"), ("Exists", "DoesNotExist")
Problems = Iterator[InvalidObject]


def selector_problems(selector: Any, base: Pointer) -> Problems:
    """Every problem of a label selector."""
    for key, value in mapping(mapping(selector).get("matchLabels")).items():
        yield from _key(key, (*base, "matchLabels", key))
        yield from _value(value, (*base, "matchLabels", key))
    for index, entry in enumerate(sequence(mapping(selector).get("matchExpressions"))):
        found, where = mapping(entry), (*base, "matchExpressions", index)
        operator, values = found.get("operator"), sequence(found.get("values"))
        if isinstance(found.get("key"), str):
            yield from _key(found["key"], (*where, "key"))
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
            yield from _value(value, (*where, "values", number))


def _key(key: str, where: Pointer) -> Problems:
    if not is_qualified_name(key) and not is_placeholder(key):
        yield InvalidObject(f'"{shortened(key)}" is not a label key', where, key)


def _value(value: Any, where: Pointer) -> Problems:
    if isinstance(value, str) and not is_label_value(value) and not is_placeholder(value):
        yield InvalidObject(f'"{shortened(value)}" is not a label value', where, value)
