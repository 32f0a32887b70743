"""The functions that expressions of Kubernetes have, with their types.

They stand in `functions.txt`, one line a function: its name, then its overloads; a dot before the first argument makes
a method. Capital letters stand for any type.
Source: cel-go 0.26 (stdlib, ext) and k8s.io/apiserver/pkg/cel/library, 1.36.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from kubelint_gpu.kube.cel.types import Type
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

_TABLE = "functions.txt"
_SINCE = {34: ("slice", "flatten", "lists.range", "reverse", "distinct", "sort", "sortBy")}
"""The minor release with which functions came that are not in all releases with devices."""
_TOKEN = pattern(r"[A-Za-z][\w.]*|[(),]")


class Overload(Value):
    """One signature of a function."""

    method: bool
    arguments: tuple[Type, ...]
    result: Type


@lru_cache(maxsize=4)
def functions(library: int | None = None) -> dict[str, tuple[Overload, ...]]:
    """Every function by name, its overloads in the order in which they are tried.

    With `library` those that there were in the minor release of that number.
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
