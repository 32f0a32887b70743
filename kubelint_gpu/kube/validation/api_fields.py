"""The fields of Kubernetes' own objects, by release, and what of an object is not among them.

The table `api_fields.txt` is made from the published schemas by `python -m tools.api_fields`; a type is read when
an object first has it.
What is unknown or of the wrong type, kube-apiserver refuses with a strict decoding error, as kubectl asks it to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from kubelint_gpu.kube.values.errors import Pointer, is_placeholder
from kubelint_gpu.kube.values.fields import described
from kubelint_gpu.kube.values.quantity import QuantityError, parse_quantity
from kubelint_gpu.values import dataclass

_TABLE = "api_fields.txt"
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


@dataclass(frozen=True, slots=True)
class ReleaseSpan:
    """A type code and the minor releases, both included, that have it."""

    code: str
    first: int
    last: int


Entry = tuple[ReleaseSpan, ...]


@dataclass(frozen=True, slots=True)
class Misfit:
    """A field that its object may not have, or a value of the wrong type.

    Attributes:
        pointer: the field.
        value: what is written.
        wanted: the type that is wanted, in words; empty for a field that is unknown.
        types: the types of the mappings above, from the root down, each with its pointer.
        since: the minor release that brings the field; 0 where none does.
        until: the last minor release that had it; 0 where none had.
    """

    pointer: Pointer
    value: Any
    wanted: str = ""
    types: tuple[tuple[Pointer, str], ...] = ()
    since: int = 0
    until: int = 0


class Table:
    """The table, read as far as it is asked for."""

    def __init__(self, text: str) -> None:
        self._types: dict[str, str] = {}
        self._kinds: dict[tuple[str, str], Entry] = {}
        self._fields: dict[str, dict[str, Entry]] = {}
        self._codes: dict[tuple[str, int | None], dict[str, str]] = {}
        self.first = self.last = 0
        for line in text.split("\n"):
            what, _, rest = line.partition(" ")
            name, _, rest = rest.partition(" ")
            if what == "type":
                self._types[name] = rest
            elif what == "kind":
                kind, _, spans = rest.partition(" ")
                self._kinds[name, kind] = self._entry(spans)
            elif what == "releases":
                self.first, self.last = int(name), int(rest)

    def kind(self, version: str, kind: str) -> Entry:
        """The types of an apiVersion and kind; empty where no release has them."""
        return self._kinds.get((version, kind), ())

    def versions(self, group: str, kind: str) -> dict[str, Entry]:
        """The apiVersions of a group, with their releases, that have a kind."""
        return {
            version: entry
            for (version, name), entry in self._kinds.items()
            if name == kind and version.rpartition("/")[0] == group
        }

    def fields(self, name: str) -> Mapping[str, Entry]:
        """The fields of a type; empty where nothing is known of it."""
        if name not in self._fields:
            parts = (part.partition("=") for part in self._types.get(name, "").split(" ") if part)
            self._fields[name] = {key: self._entry(spans) for key, _, spans in parts}
        return self._fields[name]

    def codes(self, name: str, minor: int | None) -> dict[str, str]:
        """The type codes of a type's fields in a release, of those that it has there."""
        found = self._codes.get((name, minor))
        if found is None:
            codes = ((key, known(entry, minor)) for key, entry in self.fields(name).items())
            found = self._codes[name, minor] = {key: code for key, code in codes if code}
        return found

    def _entry(self, text: str) -> Entry:
        return tuple(self._span(part) for part in text.split("|"))

    def _span(self, text: str) -> ReleaseSpan:
        code, _, releases = text.partition(":")
        low, _, high = releases.partition("-")
        return ReleaseSpan(code, int(low or self.first), int(high or self.last))


@lru_cache(maxsize=1)
def table() -> Table:
    """The table of this version of the program."""
    return Table((Path(__file__).parent / _TABLE).read_text(encoding="utf-8"))


def known(entry: Entry, minor: int | None) -> str:
    """The type code in a release, the newest without one; empty where the release does not have it."""
    if minor is None:
        return entry[-1].code if entry else ""
    return next((span.code for span in entry if span.first <= minor <= span.last), "")


def misfits(value: dict[str, Any], minor: int | None) -> Iterator[Misfit]:
    """What of an object its kind does not have in a release, or in none of the releases; nothing for other kinds."""
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
    """What does not fit of a pod template inside an object of another kind."""
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
    """Whether a value surely fits; most do, and to find that out needs no pointers."""
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
        parse_quantity(text)
    except QuantityError:
        # longer ones are not read here, and may be right
        return is_placeholder(text) or len(text) > _LONGEST_QUANTITY
    return True


def mismatch(found: Misfit) -> str:
    """What is wrong with a value of the wrong type."""
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
    """By field the mappings under a type that have it, by fields that are no lists; at most two steps down."""
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
