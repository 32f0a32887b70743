"""Types of expressions, their compatibility, and the functions of Kubernetes' expressions.

A type is a name (`int`, `kubernetes.Quantity`, `dyn`) or a tuple of a name and parameters (`("list", "int")`); `("var",
3)` is a type that is still open. The functions are in `functions.txt`, one on each line: its name, then its overloads;
a dot before the first argument makes a method. Capital letters stand for any type.
Source: cel-go 0.26 (checker/types.go, stdlib, ext) and k8s.io/apiserver/pkg/cel/library, 1.36.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

_TABLE = "functions.txt"
_SINCE = {34: ("slice", "flatten", "lists.range", "reverse", "distinct", "sort", "sortBy")}
"""The minor release with which functions came that are not in all releases with devices."""
_TOKEN = pattern(r"[A-Za-z][\w.]*|[(),]")
Type = Any
DYN, ANY, ERROR, NULL = "dyn", "any", "error", "null_type"
BOOL, INT, STRING = "bool", "int", "string"
QUANTITY, SEMVER = "kubernetes.Quantity", "kubernetes.Semver"
_SHOWN = {
    ERROR: "!error!",
    NULL: "null",
    "google.protobuf.Timestamp": "timestamp",
    "google.protobuf.Duration": "duration",
}
_PLAIN = frozenset((BOOL, INT, STRING, "uint", "double", "bytes"))


class Overload(Value):
    """One signature of a function."""

    method: bool
    arguments: tuple[Type, ...]
    result: Type


@lru_cache(maxsize=4)
def functions(library: int | None = None) -> dict[str, tuple[Overload, ...]]:
    """Every function by name, with its overloads in the order in which they are tried.

    With `library`, only those of that minor release.
    """
    if library is not None:
        late = frozenset(name for since, names in _SINCE.items() if since > library for name in names)
        return {name: overloads for name, overloads in functions().items() if name not in late}
    found: dict[str, list[Overload]] = {}
    for line in (Path(__file__).parent / _TABLE).read_text(encoding="utf-8").splitlines():
        name, *overloads = line.split(" | ")
        found.setdefault(name, []).extend(_overload(one) for one in overloads)
    return {name: tuple(overloads) for name, overloads in found.items()}


def _overload(text: str) -> Overload:
    arguments, _, result = text.partition("->")
    method = arguments.startswith(".")
    return Overload(method, _types(arguments.removeprefix(".")), _types(result)[0])


def _types(text: str) -> tuple[Type, ...]:
    """The types of a list such as `list(A),int`."""
    stack: list[list[Type]] = [[]]
    names: list[str] = []
    pieces = _TOKEN().findall(text)
    for place, piece in enumerate(pieces):
        if piece == "(":
            stack.append([])
        elif piece == ")":
            inner = stack.pop()
            stack[-1].append((names.pop(), *inner))
        elif piece != ",":
            if place + 1 < len(pieces) and pieces[place + 1] == "(":
                names.append(piece)
            else:
                stack[-1].append(("param", piece) if len(piece) == 1 and piece.isupper() else piece)
    return tuple(stack[0])


def is_dynamic(kind: Type) -> bool:
    """Whether a type is that of an unknown value."""
    return kind in (DYN, ANY)


def optional_of(kind: Type) -> Type:
    """The type of an optional value."""
    return ("optional_type", kind)


def unwrapped(kind: Type) -> tuple[Type, bool]:
    """The type inside an optional type, and whether it was optional."""
    return (kind[1], True) if isinstance(kind, tuple) and kind[0] == "optional_type" else (kind, False)


def shown(kind: Type) -> str:
    """A type as the API server writes it."""
    if not isinstance(kind, tuple):
        return _SHOWN.get(kind) or str(kind)
    if kind[0] == "var":
        return f"_var{kind[1]}"
    return f"{kind[0]}({', '.join(shown(one) for one in kind[1:])})"


class Substitution:
    """The known values of open types."""

    __slots__ = ("_found",)

    def __init__(self, found: dict[Type, Type] | None = None) -> None:
        self._found: dict[Type, Type] = found if found is not None else {}

    def of(self, kind: Type, *, dynamic: bool = False) -> Type:
        """A type with its open parts replaced if known; `dynamic` makes the others `dyn`."""
        if kind in self._found:
            return self.of(self._found[kind], dynamic=dynamic)
        if not isinstance(kind, tuple):
            return kind
        if kind[0] == "var":
            return DYN if dynamic else kind
        return (kind[0], *[self.of(one, dynamic=dynamic) for one in kind[1:]])

    def accepts(self, given: list[Type], wanted: list[Type]) -> bool:
        """Whether values of the given types are accepted for the wanted types; open types are bound by this."""
        trial = Substitution(dict(self._found))
        if len(given) != len(wanted) or not all(
            trial._fits(one, other) for one, other in zip(given, wanted, strict=True)
        ):
            return False
        self._found = trial._found
        return True

    def _fits(self, one: Type, other: Type) -> bool:
        if _is_open(other):
            valid, known = self._substituted(one, other)
            if valid or known:
                return valid
        if _is_open(one):
            return self._substituted(other, one)[0]
        if is_dynamic(one) or is_dynamic(other) or ERROR in (one, other):
            return True
        if NULL in (one, other):
            rest = other if one == NULL else one
            return rest == NULL or (rest not in _PLAIN and not (isinstance(rest, tuple) and rest[0] in ("list", "map")))
        if not isinstance(one, tuple) or not isinstance(other, tuple):
            return bool(one == other)
        if one[0] == other[0] == "type":
            return True
        return (
            one[0] == other[0]
            and len(one) == len(other)
            and all(self._fits(mine, theirs) for mine, theirs in zip(one[1:], other[1:], strict=True))
        )

    def _substituted(self, one: Type, open_type: Type) -> tuple[bool, bool]:
        if one == open_type:
            return True, True
        known = self._found.get(open_type)
        if known is not None:
            if one == known:
                return True, True
            if self._fits(one, known):
                wider = most_general(one, known)
                if self._free(open_type, wider):
                    self._found[open_type] = wider
                return True, True
            return False, True
        if self._free(open_type, one):
            self._found[open_type] = one
            return True, False
        return False, False

    def _free(self, open_type: Type, within: Type) -> bool:
        if open_type == within:
            return False
        if not isinstance(within, tuple):
            return True
        if within[0] == "var":
            return within not in self._found or self._free(open_type, self._found[within])
        return all(self._free(open_type, one) for one in within[1:])


def most_general(one: Type, other: Type) -> Type:
    """The less specific of two types that fit each other."""
    return one if _is_wider(one, other) else other


def _is_wider(one: Type, other: Type) -> bool:
    if is_dynamic(one) or _is_open(one):
        return True
    if is_dynamic(other) or _is_open(other):
        return False
    if not isinstance(one, tuple) or not isinstance(other, tuple):
        return bool(one == other)
    if one[0] == other[0] == "type":
        return True
    same = one[0] == other[0] and len(one) == len(other)
    return same and all(_is_wider(mine, theirs) for mine, theirs in zip(one[1:], other[1:], strict=True))


def _is_open(kind: Type) -> bool:
    return isinstance(kind, tuple) and kind[0] == "var"
