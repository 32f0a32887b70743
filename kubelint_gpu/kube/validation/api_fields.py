"""Fields of an object that its kind does not have in a release.

kube-apiserver refuses unknown fields and wrong types with a strict decoding error, as kubectl requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from kubelint_gpu.kube.validation.api_table import Table, known, table
from kubelint_gpu.kube.values.errors import Pointer, is_placeholder
from kubelint_gpu.kube.values.fields import described
from kubelint_gpu.kube.values.quantity import QuantityError, thousandths
from kubelint_gpu.values import Value

_DEEPEST = 100
_LONGEST_QUANTITY = 50
_WANTED = {
    "s": "a string",
    "i": "an integer",
    "b": "true or false",
    "n": "a number",
    "q": "a quantity",
    "p": "an integer or a percentage",
    "t": "a time",
}


class Misfit(Value):
    """A field that its object must not have, or a value of the wrong type.

    Attributes:
        pointer: the field.
        value: the written value.
        wanted: the expected type, in words; empty for an unknown field.
        types: the types of the parent mappings, from the root down, each with its pointer.
        since: the minor release that adds the field; 0 if none does.
        until: the last minor release with the field; 0 if none had it.
    """

    pointer: Pointer
    value: Any
    wanted: str = ""
    types: tuple[tuple[Pointer, str], ...] = ()
    since: int = 0
    until: int = 0


def misfits(value: dict[str, Any], minor: int | None) -> Iterator[Misfit]:
    """Yield fields of an object that its kind does not have in a release, or in any; nothing for other kinds."""
    version, kind = value.get("apiVersion"), value.get("kind")
    if not isinstance(version, str) or not isinstance(kind, str):
        return
    if isinstance(value.get(_SOPS), dict):
        value = {key: child for key, child in value.items() if key != _SOPS}
    found = table()
    if minor is not None:
        minor = min(max(minor, found.first), found.last)
    code = known(found.kind(version, kind), minor) or known(found.kind(version, kind), None)
    if code.startswith("@") and not _all_fits(found, minor, value, code, 0):
        yield from _Walk(found, minor).mapping(value, code[1:], (), ())


def template_misfits(value: dict[str, Any], pointer: Pointer, minor: int | None) -> Iterator[Misfit]:
    """Yield the misfits of a pod template inside an object of another kind."""
    here: Any = value
    for part in pointer:
        here = here[part]
    found = table()
    if minor is not None:
        minor = min(max(minor, found.first), found.last)
    if isinstance(here, dict):
        yield from _Walk(found, minor).mapping(here, "core.v1.PodTemplateSpec", pointer, ())


_COLLECTIONS: dict[str, tuple[Any, str]] = {"[": ((list, tuple), "a list"), "{": ((dict,), "a mapping")}
_SOPS = "sops"
"""Beside the fields of an object that is encrypted: how it was (getsops.io); it is gone when the object is applied."""


class _Walk:
    """A walk through an object along its types."""

    def __init__(self, found: Table, minor: int | None) -> None:
        self._table = found
        self._minor = minor

    def mapping(
        self, value: dict[str, Any], name: str, pointer: Pointer, above: tuple[tuple[Pointer, str], ...]
    ) -> Iterator[Misfit]:
        fields = self._table.fields(name)
        if not fields or len(above) > _DEEPEST:
            return
        types = (*above, (pointer, name))
        for key, child in value.items():
            if key.startswith("$"):
                # directives of a strategic merge patch
                continue
            entry = fields.get(key, ())
            code = known(entry, self._minor)
            if code:
                yield from self._value(child, code, (*pointer, key), types)
            else:
                since, until = (entry[0].first, entry[-1].last) if entry else (0, 0)
                yield Misfit((*pointer, key), child, types=types, since=since, until=until)

    def _value(
        self, value: Any, code: str, pointer: Pointer, types: tuple[tuple[Pointer, str], ...]
    ) -> Iterator[Misfit]:
        if value is None or code == "*":
            return
        kind = code[0]
        if kind == "@":
            if isinstance(value, dict):
                yield from self.mapping(value, code[1:], pointer, types)
            elif self._table.fields(code[1:]):
                yield Misfit(pointer, value, "a mapping", types)
        elif kind in _COLLECTIONS:
            collection, told = _COLLECTIONS[kind]
            if isinstance(value, collection):
                children: Iterable[tuple[str | int, Any]] = value.items() if kind == "{" else enumerate(value)
                for key, child in children:
                    yield from self._value(child, code[1:], (*pointer, key), types)
            else:
                yield Misfit(pointer, value, told, types)
        elif not _fits(value, kind):
            yield Misfit(pointer, value, _WANTED[kind], types)


def _all_fits(found: Table, minor: int | None, value: Any, code: str, depth: int) -> bool:
    """Whether a value surely fits; a fast check without pointers, because most values do."""
    if value is None or code == "*":
        return True
    kind = code[0]
    if kind == "@":
        fields = found.codes(code[1:], minor)
        if not fields:
            return True
        if value.__class__ is not dict or depth > _DEEPEST:
            return False
        for key, child in value.items():
            of_field = fields.get(key)
            if of_field is None or not _all_fits(found, minor, child, of_field, depth + 1):
                return False
        return True
    if kind == "[":
        return value.__class__ is list and all(_all_fits(found, minor, one, code[1:], depth) for one in value)
    if kind == "{":
        return value.__class__ is dict and all(_all_fits(found, minor, one, code[1:], depth) for one in value.values())
    return _fits(value, kind)


def _fits(value: Any, code: str) -> bool:
    if code in "st":
        return isinstance(value, str)
    if isinstance(value, (dict, list)):
        return False
    if code == "b":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if code == "i":
        return whole
    if code == "n":
        return isinstance(value, (int, float))
    if code == "p":
        return whole or isinstance(value, str)
    return not isinstance(value, str) or _is_quantity(value)


def _is_quantity(text: str) -> bool:
    try:
        thousandths(text)
    except QuantityError:
        # longer ones are not read here, and may be right
        return is_placeholder(text) or len(text) > _LONGEST_QUANTITY
    return True


def mismatch(found: Misfit) -> str:
    """Return the error for a value of the wrong type."""
    quote = "; quote it" if found.wanted in ("a string", "a time") and not isinstance(found.value, (dict, list)) else ""
    return f"must be {found.wanted}, not {described(found.value)}{quote}"


def homes(found: Misfit, minor: int | None) -> tuple[Pointer, ...]:
    """Where a misplaced field belongs: above its mapping, or below; nearest first, as pointers of mappings."""
    key = found.pointer[-1]
    if not isinstance(key, str):
        return ()
    rows = table()
    above = [pointer for pointer, name in reversed(found.types[:-1]) if known(rows.fields(name).get(key, ()), minor)]
    pointer, name = found.types[-1]
    return (*above, *((*pointer, *way) for way in _below(rows, name, minor).get(key, ())))


@lru_cache(maxsize=256)
def _below(rows: Table, name: str, minor: int | None) -> dict[str, tuple[Pointer, ...]]:
    """By field, the mappings below a type that have it, through fields that are no lists; at most two levels down."""
    found: dict[str, tuple[Pointer, ...]] = {}
    level: list[tuple[Pointer, str]] = [((), name)]
    for _ in range(2):
        level = [
            ((*where, field), code[1:])
            for where, one in level
            for field, entry in rows.fields(one).items()
            if (code := known(entry, minor)).startswith("@")
        ]
        for where, one in level:
            for field, entry in rows.fields(one).items():
                if known(entry, minor):
                    found[field] = (*found.get(field, ()), where)
    return found
