"""The values of expressions, and when two of them are equal.

`int`, `float`, `str`, `bytes`, `bool`, `None` and lists are Python's own; the classes here are the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface
from typing import Any, NamedTuple

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.patterns import pattern

NO_OVERLOAD = "no such overload"
MOST_ITEMS = 100_000
MOST_LETTERS = 1_000_000
_SEMVER = pattern(r"(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?", re.ASCII)


class Uint(int):
    """An unsigned integer."""

    __slots__ = ()


class TypeValue(NamedTuple):
    """A type as a value, `type(1)`."""

    name: str


class Optional(NamedTuple):
    """A value that may be missing."""

    present: bool
    value: Any = None


NONE = Optional(False)


class Quantity(NamedTuple):
    """A resource quantity.

    Attributes:
        amount: in its unit.
        whole: whether Kubernetes stores it as an integer; a quantity that is stored as a decimal counts as no integer.
        derived: whether it is the result of `add` or `sub`, which apiserver's `Equal` finds equal to nothing.
    """

    amount: Fraction | int
    whole: bool = True
    derived: bool = False


class Duration(NamedTuple):
    """A span of time in nanoseconds."""

    nanoseconds: int


class Timestamp(NamedTuple):
    """A point in time in nanoseconds since 1970."""

    nanoseconds: int


class Semver(NamedTuple):
    """A semantic version; build metadata is ignored in comparisons."""

    major: int
    minor: int
    patch: int
    release: tuple[tuple[int, int, str], ...] = ()
    build: str = ""

    @property
    def order(self) -> tuple[Any, ...]:
        """A sort key of versions; a release comes after its prereleases."""
        return self.major, self.minor, self.patch, not self.release, self.release


class Map:
    """A map; `default` is the value of a missing key, if there is one."""

    __slots__ = ("default", "entries")

    def __init__(self, entries: Iterable[tuple[Any, Any]], default: Any = None) -> None:
        self.entries = {_token(key): (key, value) for key, value in entries}
        if ("none", None) in self.entries:
            raise EvaluationError("unsupported key type")
        self.default = default

    def has(self, key: Any) -> bool:
        """Whether a key exists, apart from the default."""
        return _token(key) in self.entries

    def find(self, key: Any) -> tuple[bool, Any]:
        """Whether a key has a value, and the value."""
        found = self.entries.get(_token(key))
        if found is not None:
            return True, found[1]
        return self.default is not None, self.default

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, _ in sorted(self.entries.values(), key=lambda entry: str(entry[0]))])

    def __len__(self) -> int:
        return len(self.entries)


def _token(key: Any) -> tuple[str, Any]:
    """A token that is equal for equal keys: numbers of different types are equal, true is not 1."""
    if isinstance(key, bool):
        return "bool", key
    if isinstance(key, (int, float)):
        return "number", key
    if isinstance(key, (list, Map)):
        return "none", None  # no key of a map
    return type(key).__name__, key


def type_name(value: Any) -> str:
    """The name of a value's type."""
    if isinstance(value, bool):
        return "bool"
    return _NAMES.get(type(value)) or type(value).__name__


_NAMES: dict[type, str] = {
    int: "int",
    Uint: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    list: "list",
    Map: "map",
    type(None): "null_type",
    TypeValue: "type",
    Optional: "optional_type",
    Quantity: "kubernetes.Quantity",
    Semver: "kubernetes.Semver",
    Duration: "google.protobuf.Duration",
    Timestamp: "google.protobuf.Timestamp",
    **dict.fromkeys((IPv4Address, IPv6Address), "net.IP"),
    **dict.fromkeys((IPv4Interface, IPv6Interface), "net.CIDR"),
}


def weight(value: Any) -> int:
    """The size of a value, in items and in letters divided by 16: the cost of comparing it.

    Raises:
        NotKnown: it is too large; nested lists may share parts and be larger than memory.
    """
    if isinstance(value, (str, bytes)):
        if len(value) > MOST_LETTERS:
            raise NotKnown("a text grows too long")
        return len(value) // 16
    if type(value) is Optional:
        return weight(value.value)
    if type(value) is not list and type(value) is not Map:
        return 1
    total = 0
    waiting: list[Any] = [value]
    while waiting:
        one = waiting.pop()
        inner = one if type(one) is list else [found for _, found in one.entries.values()]
        total += len(inner)
        if total > MOST_ITEMS:
            raise NotKnown("a list grows too long")
        waiting += [part for part in inner if type(part) is list or type(part) is Map]
    return total


def equal(one: Any, other: Any) -> bool:
    """Whether two values are equal; numbers of different types can be.

    Raises:
        EvaluationError: the first is a quantity or a version and the second something else.
    """
    kind = type(one)
    if kind is str or kind is bytes or kind is bool or one is None:
        return type(other) is kind and bool(one == other)
    if isinstance(one, (int, float)):
        return isinstance(other, (int, float)) and not isinstance(other, bool) and one == other
    if kind is list:
        return type(other) is list and len(one) == len(other) and all(map(equal_inside, one, other))
    if kind is Map:
        return type(other) is Map and len(one) == len(other) and all(_has_equal_entry(one, other, key) for key in one)
    if other is None:
        return False
    if kind is Optional:
        if type(other) is not Optional or one.present != other.present:
            return False
        return not one.present or equal(one.value, other.value)
    if kind is TypeValue:
        return bool(one == other)
    if kind in (Timestamp, Duration) and type(other) is not kind:
        return False
    if type_name(other) != type_name(one):
        raise EvaluationError(NO_OVERLOAD)
    if kind is Quantity:
        if other.derived:
            raise EvaluationError(NO_OVERLOAD)
        return bool(one.amount == other.amount)
    return one.order == other.order if kind is Semver else bool(one == other)


def equal_inside(one: Any, other: Any) -> bool:
    """Whether two parts of lists or maps are equal; parts that cannot be compared are not equal."""
    try:
        return equal(one, other)
    except EvaluationError:
        return False


def _has_equal_entry(one: Map, other: Map, key: Any) -> bool:
    found, value = other.find(key)
    return found and equal_inside(one.find(key)[1], value)


def compare(one: Any, other: Any, operator: str) -> int:
    """Return -1, 0 or 1; NaN is equal to all numbers. Raises EvaluationError if they cannot be compared."""
    pair: tuple[Any, Any] | None = None
    if type(one) is bool or type(other) is bool:
        pair = (one, other) if type(one) is type(other) else None
    elif isinstance(one, (int, float)) and isinstance(other, (int, float)):
        pair = one, other
    elif type(one) is type(other) and isinstance(one, (str, bytes)):
        pair = (one.encode(), other.encode()) if isinstance(one, str) else (one, other)
    elif type(one) is type(other) and isinstance(one, (Duration, Timestamp)):
        pair = one, other
    if pair is not None:
        return int(pair[0] > pair[1]) - int(pair[0] < pair[1])
    if isinstance(one, (bool, int, float, str, bytes, Duration, Timestamp)):
        raise EvaluationError(NO_OVERLOAD)
    raise EvaluationError(f"{NO_OVERLOAD}: {operator}")


def parse_semver(text: str) -> Semver:
    """A version as github.com/blang/semver parses it. Raises EvaluationError if it is invalid."""
    if not text:
        raise EvaluationError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise EvaluationError("No Major.Minor.Patch elements found")
    for name, part in zip(("Major", "Minor"), parts[:2], strict=True):
        if not part or not part.isascii() or not part.isdigit():
            raise EvaluationError(f'Invalid character(s) found in {name.lower()} number "{part}"')
        if len(part) > 1 and part[0] == "0":
            raise EvaluationError(f'{name} number must not contain leading zeroes "{part}"')
    found = _SEMVER().fullmatch(text)
    if found is None:
        raise EvaluationError(f'Invalid character(s) found in patch number "{parts[2]}"')
    if len(found[3]) > 1 and found[3][0] == "0":
        raise EvaluationError(f'Patch number must not contain leading zeroes "{found[3]}"')
    numbers = [int(found[place]) for place in (1, 2, 3)]
    if max(numbers) >= 2**64:
        raise EvaluationError("value out of range")
    release = tuple(_pre(part) for part in found[4].split(".")) if found[4] else ()
    return Semver(numbers[0], numbers[1], numbers[2], release, found[5] or "")


def _pre(part: str) -> tuple[int, int, str]:
    """A part of a prerelease as a sort key: numbers come before texts."""
    if not part:
        raise EvaluationError("Prerelease is empty")
    if part.isdigit():
        if len(part) > 1 and part[0] == "0":
            raise EvaluationError(f'Numeric PreRelease version must not contain leading zeroes "{part}"')
        return 0, int(part), ""
    return 1, 0, part


def normalized_semver(text: str) -> str:
    """The full form of a version that omits parts or begins with `v`."""
    parts = text.removeprefix("v").split(".", 2)
    for place, part in enumerate(parts):
        if len(part) > 1:
            stripped = part.lstrip("0")
            parts[place] = stripped if stripped[:1].isdigit() else "0" + stripped
    if len(parts) < 3:
        if any(mark in parts[-1] for mark in "+-"):
            raise EvaluationError("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return ".".join(parts)
