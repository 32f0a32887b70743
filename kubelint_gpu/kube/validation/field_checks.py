"""What the API server refuses of single fields: texts, choices, numbers, label selectors, and tables of fields.

Names, numbers and lists are validated by tables of fields. Only rules about several fields are functions.

Source: k8s.io/apimachinery/pkg/apis/meta/v1/validation, 1.34.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kubelint_gpu.kube.values.errors import InvalidObject, Pointer, is_placeholder
from kubelint_gpu.kube.values.fields import is_label_value, is_qualified_name
from kubelint_gpu.kube.values.plain import mapping, sequence, shortened, whole
from kubelint_gpu.values import Value

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


class Word(Value):
    """A text that must be valid.

    Attributes:
        what: what it must be, after `must be`.
        is_lawful: whether it is.
        required: whether it must be present and not empty.
        empty: whether it may be written and empty.
        allowed: the allowed values, if these are few.
    """

    what: str
    is_lawful: Callable[[str], bool]
    required: bool = False
    empty: bool = True
    allowed: tuple[str, ...] = ()


class Shape(Value):
    """A mapping with known fields.

    Attributes:
        fields: what each may contain, a `Word`, a `Shape`, a `Many` or a `Keyed`.
        further: checks rules about several of them.
        required: whether an absent one is validated as an empty one.
    """

    fields: Mapping[str, Any]
    further: Callable[[dict[str, Any], Pointer], Problems] | None = None
    required: bool = False


class Many(Value):
    """A list.

    Attributes:
        item: what each entry may be.
        most: the maximum number of entries.
        key: the field that must be unique among entries; empty if whole entries must be unique, None if nothing must.
    """

    item: Word | Shape
    most: int
    key: str | None = ""


class Keyed(Value):
    """A mapping with keys of one kind.

    Attributes:
        key: what each key must be.
        most: the maximum number of entries; None for any number.
        required: whether there must be at least one.
        item: what each value may be.
    """

    key: Word
    most: int | None = None
    required: bool = False
    item: Shape | None = None


def problems_of(value: Any, table: Word | Shape | Many | Keyed, pointer: Pointer) -> Problems:
    """Yield where a value does not fit its table; values of a wrong type are reported by their parser."""
    if isinstance(table, Word):
        yield from _text(value, table, pointer)
    elif isinstance(table, Shape):
        yield from _shape(value, table, pointer)
    elif isinstance(table, Many):
        yield from _many(value, table, pointer)
    else:
        yield from _keyed(value, table, pointer)


def _text(value: Any, table: Word, pointer: Pointer) -> Problems:
    if not value:
        if table.required or (value == "" and not table.empty):
            yield InvalidObject("is required" if table.required else "may not be empty", pointer, value)
    elif isinstance(value, str) and not table.is_lawful(value) and not is_placeholder(value):
        yield InvalidObject(f'must be {table.what}, not "{shortened(value)}"', pointer, value, allowed=table.allowed)


def _shape(value: Any, table: Shape, pointer: Pointer) -> Problems:
    if not isinstance(value, dict) and not (value is None and table.required):
        return
    given = mapping(value)
    for key, inner in table.fields.items():
        found = given.get(key)
        if found is None:
            if inner.__class__ is not Many and inner.required:
                yield from problems_of(found, inner, (*pointer, key))
        elif not (inner.__class__ is Word and found and found.__class__ is str and inner.is_lawful(found)):
            yield from problems_of(found, inner, (*pointer, key))
    if table.further is not None:
        yield from table.further(given, pointer)


def _many(value: Any, table: Many, pointer: Pointer) -> Problems:
    entries = sequence(value)
    if len(entries) > table.most:
        yield InvalidObject(f"must have at most {table.most} items, and has {len(entries)}", pointer, None)
    known: set[Any] = set()
    for number, entry in enumerate(entries):
        yield from problems_of(entry, table.item, (*pointer, number))
        name = mapping(entry).get(table.key) if table.key else entry
        if table.key is not None and isinstance(name, str) and name:
            if name in known:
                where: Pointer = (*pointer, number, table.key) if table.key else (*pointer, number)
                yield InvalidObject(f'is given twice: "{shortened(name)}"', where, name)
            known.add(name)


def _keyed(value: Any, table: Keyed, pointer: Pointer) -> Problems:
    entries = mapping(value)
    if not entries and table.required:
        yield InvalidObject("must have one entry or more", pointer, None)
    if table.most is not None and len(entries) > table.most:
        yield InvalidObject(f"must have at most {table.most} entries, and has {len(entries)}", pointer, None)
    for key, inner in entries.items():
        if not key or not table.key.is_lawful(key):
            yield from _text(key, table.key, (*pointer, key))
        if table.item is not None:
            yield from _shape(inner, table.item, (*pointer, key))
