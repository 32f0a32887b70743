"""Typed reading of one mapping of an API object, and the syntax of names as in apimachinery's validation.

A wrong type is an `InvalidObject` that names the field.
With a list for `problems`, reading continues with the default, so that all errors of an object are reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

from kubelint_gpu.kube.values.errors import InvalidObject, Pointer, is_placeholder
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import Amount, QuantityError, parse_quantity, thousandths
from kubelint_gpu.patterns import pattern

NAMES_AS_LABELS = 34
"""The first minor release in which names of StatefulSets, and their Services, must be labels."""
_NAME = pattern(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)
_LABEL = pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_IDENTIFIER = pattern(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_SUBDOMAIN = pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)
T = TypeVar("T")
INT32 = 2**31 - 1
"""The largest number of the fields that are 32 bits wide: most of them."""


@lru_cache(maxsize=8192)
def is_label_value(text: str) -> bool:
    """Empty, or at most 63 letters, digits, `-`, `_`, `.` that start and end with a letter or digit."""
    return text == "" or (len(text) <= 63 and _NAME().fullmatch(text) is not None)


@lru_cache(maxsize=8192)
def is_qualified_name(text: str) -> bool:
    """A label key or resource name: a name of at most 63 characters, optionally `subdomain/` before it."""
    prefix, slash, name = text.rpartition("/")
    if slash and (len(prefix) > 253 or _SUBDOMAIN().fullmatch(prefix) is None):
        return False
    return 0 < len(name) <= 63 and _NAME().fullmatch(name) is not None


def is_subdomain(text: str) -> bool:
    """A DNS subdomain of at most 253 characters: the syntax of most object names."""
    return len(text) <= 253 and _SUBDOMAIN().fullmatch(text) is not None


def is_label(text: str) -> bool:
    """A DNS label of at most 63 characters: the syntax of namespaces, containers and volumes."""
    return len(text) <= 63 and _LABEL().fullmatch(text) is not None


def is_driver_name(text: str) -> bool:
    """The name of a device or CSI driver: a DNS subdomain of at most 63 characters."""
    return len(text) <= 63 and is_subdomain(text.lower())


def is_identifier(text: str) -> bool:
    """A C identifier of at most 32 characters: the syntax of device attributes and capacities in their domain."""
    return len(text) <= 32 and _IDENTIFIER().fullmatch(text) is not None


class Fields:
    """A mapping, its pointer in the object, and the list for its problems."""

    __slots__ = ("pointer", "problems", "value")

    def __init__(self, value: Any, pointer: Pointer = (), problems: list[InvalidObject] | None = None) -> None:
        self.pointer = pointer
        self.problems = problems
        self.value: dict[str, Any]
        if isinstance(value, dict):
            self.value = value
        else:
            self.value = {}
            if value is not None:
                self.report((), f"must be a mapping, not {_kind_of(value)}", value)

    def report(
        self, below: Pointer, detail: str, value: Any = None, *, allowed: tuple[str, ...] = (), is_text: bool = False
    ) -> None:
        """Record what is wrong at `below` this mapping; without a list for problems, raise it."""
        problem = InvalidObject(detail, (*self.pointer, *below), value, allowed=allowed, is_text=is_text)
        if self.problems is None:
            raise problem
        self.problems.append(problem)

    def __contains__(self, key: str) -> bool:
        return self.value.get(key) is not None

    def text(self, key: str, default: str = "") -> str:
        """A string; absent or null gives the default."""
        value = self.value.get(key)
        if isinstance(value, str):
            return value
        if value is not None:
            self.report((key,), f"must be a string, not {described(value)}; quote it", value, is_text=True)
        return default

    def name(self, key: str) -> str:
        """A string that names something else: a placeholder is a problem."""
        value = self.text(key)
        if is_placeholder(value):
            self.report((key,), "is filled in later", value)
        return value

    def choice(self, key: str, choices: tuple[str, ...], default: str) -> str:
        """One of some strings; absent, null or empty gives the default."""
        value = self.text(key)
        if not value:
            return default
        if value not in choices:
            named = ", ".join(f'"{choice}"' for choice in choices)
            self.report((key,), f'unsupported value "{value}": supported values: {named}', value, allowed=choices)
            return default
        return value

    def boolean(self, key: str, default: bool = False) -> bool:
        """A boolean; absent or null gives the default."""
        value = self.value.get(key)
        if value is None:
            return default
        if isinstance(value, bool):
            return value
        self.report((key,), f"must be true or false, not {described(value)}", value)
        return default

    def integer(self, key: str, default: int, minimum: int | None = None, maximum: int = INT32) -> int:
        """A 32-bit integer; absent or null gives the default."""
        found = self.optional_integer(key, minimum, maximum)
        return default if found is None else found

    def optional_integer(self, key: str, minimum: int | None = None, maximum: int = INT32) -> int | None:
        """A 32-bit integer, or None if the field is absent or null."""
        value = self.value.get(key)
        if value is None:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            self.report((key,), f"must be an integer, not {described(value)}", value)
            return None
        if minimum is not None and value < minimum:
            limit = "greater than zero" if minimum == 1 else f"greater than or equal to {minimum}"
            self.report((key,), f"must be {limit}, not {value}", value)
            return None
        if not -INT32 - 1 <= value <= maximum:
            self.report((key,), f"must be at most {maximum}, not {value}", value)
            return None
        return value

    def child(self, key: str) -> Fields | None:
        """A nested mapping, or None if it is absent or null."""
        value = self.value.get(key)
        if value is None:
            return None
        return Fields(value, (*self.pointer, key), self.problems)

    def down(self, *keys: str) -> Fields:
        """The mapping at a path of keys; empty if any of them is absent."""
        here = self
        for key in keys:
            here = here.child(key) or Fields(None, (*here.pointer, key), self.problems)
        return here

    def children(self, key: str) -> Iterator[Fields]:
        """The mappings of a list."""
        for index, value in self._entries(key):
            if isinstance(value, dict):
                yield Fields(value, (*self.pointer, key, index), self.problems)
            else:
                self.report((key, index), f"must be a mapping, not {_kind_of(value)}", value)

    def texts(self, key: str) -> tuple[str, ...]:
        """The strings of a list."""
        found = []
        for index, value in self._entries(key):
            if isinstance(value, str):
                found.append(value)
            else:
                self.report((key, index), f"must be a string, not {described(value)}; quote it", value, is_text=True)
        return tuple(found)

    def labels(self, key: str, *, known: bool = False) -> FrozenMap[str, str]:
        """A mapping of strings to strings; null values are empty strings, as in the API server.

        With `known`, a placeholder as key or value is a problem.
        """
        child = self.child(key)
        if child is None or not child.value:
            return EMPTY
        found: dict[str, str] = {}
        for name, value in child.value.items():
            if value is None:
                found[name] = ""
            elif isinstance(value, str):
                found[name] = value
                if known and (is_placeholder(value) or is_placeholder(name)):
                    child.report((name,), "is filled in later", value if is_placeholder(value) else name)
            else:
                child.report((name,), f"must be a string, not {described(value)}; quote it", value, is_text=True)
        return FrozenMap(found)

    def quantities(self, key: str, *, below_zero: bool = False) -> FrozenMap[str, int]:
        """A resource list in thousandths of its unit, each entry rounded up as in API defaulting.

        Amounts below zero are problems, unless with `below_zero`. A null amount is 0, as in the API server. A
        placeholder is a problem, and counts as the smallest amount.
        """
        child = self.child(key)
        if child is None or not child.value:
            return EMPTY
        found: dict[str, int] = {}
        for name, value in child.value.items():
            if is_placeholder(name):
                child.report((name,), "is filled in later", name)
                continue
            amount = child.quantity(name) if value is not None else 0
            if amount is None:
                if is_placeholder(value):
                    found[name] = 1
                continue
            if amount < 0 and not below_zero:
                child.report((name,), f"must be greater than or equal to 0, not {value}", value)
                continue
            found[name] = amount
        return FrozenMap(found)

    def quantity(self, key: str) -> int | None:
        """A quantity in thousandths of its unit, or None if it is absent or null."""
        return self._parsed(key, thousandths)

    def amount(self, key: str) -> Amount | None:
        """An exact quantity in its unit, or None if it is absent or null."""
        return self._parsed(key, parse_quantity)

    def amounts(self) -> FrozenMap[str, Amount]:
        """All quantities of the mapping in their units, exact."""
        found = {str(key): self.amount(key) for key in self.value}
        return FrozenMap({key: amount for key, amount in found.items() if amount is not None})

    def _parsed(self, key: str, parse: Callable[[Any], T]) -> T | None:
        value = self.value.get(key)
        if value is None:
            return None
        try:
            return parse(value)
        except QuantityError as error:
            self.report((key,), str(error), value)
            return None

    def _entries(self, key: str) -> Iterator[tuple[int, Any]]:
        value = self.value.get(key)
        if value is None:
            return
        if not isinstance(value, (list, tuple)):
            self.report((key,), f"must be a list, not {_kind_of(value)}", value)
            return
        yield from enumerate(value)


def described(value: Any) -> str:
    """A value as an error message names it, shortened."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, (int, float)):
        return f"the number {value}"
    if isinstance(value, str):
        shown = value if len(value) <= 40 else value[:37] + "..."
        return f'the string "{shown}"'
    if isinstance(value, dict):
        return "a mapping"
    return "a list"


def _kind_of(value: Any) -> str:
    """What a value is, where a mapping or list should be: the value itself says no more."""
    return "a string" if isinstance(value, str) else described(value)
