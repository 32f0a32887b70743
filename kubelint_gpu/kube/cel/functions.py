"""The functions that expressions of drivers call, and how a call is evaluated.

The value of an expression that calls another function is not known. Patterns are those of RE2, whose time is linear.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import EvaluationError
from kubelint_gpu.kube.cel.cel_values import (
    NO_OVERLOAD,
    Map,
    Optional,
    Quantity,
    Semver,
    compare,
    equal_inside,
    normalized_semver,
    parse_semver,
    type_name,
)
from kubelint_gpu.kube.cel.types import Type
from kubelint_gpu.kube.values.quantity import QuantityError, parse_quantity
from kubelint_gpu.patterns import pattern

_SHAPE = pattern(r"[+-]?[0-9]*(?:\.[0-9]*)?(?:[eEinumkKMGTP]+[0-9]*)?(?:[-+][0-9]*)?", re.ASCII)
_NO_DIGITS = pattern(r"([+-]?)\.?((?:[numkMGTPE]|[KMGTPE]i)?)", re.ASCII)
_FRACTION = pattern(r"\.([0-9]+)")
_DECIMAL = {"k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_LARGEST = 2**63 - 1
_LARGEST_PROGRAM = 1 << 20
_PER_STEP = 64
_SPACES = (
    " \t\n\v\f\r\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_UPPER = {letter: letter - 32 for letter in range(ord("a"), ord("z") + 1)}
_LOWER = {letter: letter + 32 for letter in range(ord("A"), ord("Z") + 1)}
_ORDER = frozenset(("_<_", "_<=_", "_>_", "_>=_"))
_OPERATORS = frozenset(["_+_", "_-_", "_*_", "_/_", "_%_", "-_", "@in"]) | _ORDER
_ADDED = frozenset(("int", "double", "string", "list"))
_COMPARED = _ADDED - {"list"} | {"bool"}
_BARE = frozenset(["startsWith", "endsWith", "contains", "matches", "!_"])


def call_of(name: str, args: list[Callable[[Any], Any]], overloads: list[tuple[Type, ...]]) -> Callable[[Any], Any]:
    """The program of a call; its arguments are programs, too."""
    function = FUNCTIONS[name]

    def call(run: Any) -> Any:
        values = [arg(run) for arg in args]
        if not any(_takes(values, wanted) for wanted in overloads):
            raise EvaluationError(_refusal(name, values))
        run.spend(1 + sum(map(_size, values)) // 5)
        if name == "matches":
            run.spend(steps_of(*values))
        return run.made(function(*values))

    return call


def _takes(values: list[Any], wanted: tuple[Type, ...]) -> bool:
    return len(values) == len(wanted) and all(_is(value, kind) for value, kind in zip(values, wanted, strict=True))


def _is(value: Any, kind: Type) -> bool:
    if kind in ("dyn", "any"):
        return True
    if isinstance(kind, tuple):
        if kind[0] == "param":
            return True
        if kind[0] == "list":
            return type(value) is list and (not value or _is(value[0], kind[1]))
        if kind[0] == "map":
            return type(value) is Map
        return kind[0] == "optional_type" and type(value) is Optional
    return bool(type_name(value) == kind)


def _refusal(name: str, values: list[Any]) -> str:
    kinds = [type_name(value) for value in values]
    if name in _BARE:
        return NO_OVERLOAD
    if name == "size":
        return f"{NO_OVERLOAD}: {name}"
    if name in _OPERATORS:
        able = _COMPARED if name in _ORDER else _ADDED
        return NO_OVERLOAD if kinds[0] in able or name == "@in" else f"{NO_OVERLOAD}: {name}"
    return f"{NO_OVERLOAD}: {name}({', '.join(kinds)})"


def _size(value: Any) -> int:
    return len(value) if isinstance(value, (str, list, Map)) else 1


@lru_cache(maxsize=256)
def compiled(text: str) -> Any:
    """The compiled RE2 pattern.

    Raises:
        EvaluationError: it is invalid.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _LARGEST_PROGRAM
    try:
        return re2.compile(text, options)
    except re2.error as error:
        found = error.args[0] if error.args else ""
        detail = found.decode(errors="replace") if isinstance(found, bytes) else str(found)
        raise EvaluationError(f"error parsing regexp: {detail}") from None


def steps_of(text: str, expression: str) -> int:
    """The steps to compile a pattern and to search a text for it; a short repetition may be a large program.

    Raises:
        EvaluationError: the pattern is invalid.
    """
    size: int = compiled(expression).programsize
    return size + size * (len(text) + 1) // _PER_STEP


def _checked(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise EvaluationError("integer overflow")
    return value


def _add(one: Any, other: Any) -> Any:
    return _checked(one + other) if isinstance(one, int) else one + other


def _subtract(one: Any, other: Any) -> Any:
    return _checked(one - other) if isinstance(one, int) else one - other


def _divide(one: Any, other: Any) -> Any:
    if isinstance(one, float):
        if other:
            return one / other
        return math.nan if not one or math.isnan(one) else math.copysign(math.inf, one) * math.copysign(1, other)
    if not other:
        raise EvaluationError("division by zero")
    found = abs(one) // abs(other)
    return _checked(found if (one < 0) == (other < 0) else -found)


def _modulo(one: Any, other: Any) -> Any:
    if not other:
        raise EvaluationError("modulus by zero")
    found = abs(one) % abs(other)
    return _checked(found if one >= 0 else -found)


def _ordering(operator: str) -> Any:
    def ordered(one: Any, other: Any) -> bool:
        if any(isinstance(value, float) and math.isnan(value) for value in (one, other)):
            raise EvaluationError("NaN values cannot be ordered")
        found = compare(one, other, operator)
        return {"_<_": found < 0, "_<=_": found <= 0, "_>_": found > 0, "_>=_": found >= 0}[operator]

    return ordered


def _contained(one: Any, among: Any) -> bool:
    return among.has(one) if type(among) is Map else any(equal_inside(one, other) for other in among)


def _value(found: Optional) -> Any:
    if not found.present:
        raise EvaluationError("optional.none() dereference")
    return found.value


def quantity_of(text: str) -> Quantity:
    """The quantity of a text.

    Raises:
        EvaluationError: the text is no quantity.
    """
    digits = _NO_DIGITS().fullmatch(text)  # a sign, a point or a suffix without a digit counts as zero
    try:
        amount = parse_quantity(f"{digits[1]}0{digits[2]}" if digits is not None and text else text)
    except QuantityError:
        wrong = not text or _SHAPE().fullmatch(text) is None
        raise EvaluationError(_FORM if wrong else "unable to parse quantity's suffix") from None
    nano = -(-max(amount, -amount) * 10**9 // 1)  # finer amounts are rounded away from zero
    sign = 1 if amount >= 0 else -1
    if nano % 10**9:
        return Quantity(Fraction(nano, 10**9) * sign, whole=False)
    return Quantity(nano // 10**9 * sign, _is_whole(text))


def _is_whole(text: str) -> bool:
    """Whether apimachinery stores a quantity as an integer: no fraction with a binary suffix, else a short one."""
    found = _FRACTION().search(text)
    places = len(found[1]) if found is not None else 0
    return places <= _DECIMAL.get(text[-1:], 0) and text[-1:] not in ("m", "u", "n")


def _semver(text: str, normalize: bool = False) -> Semver:
    return parse_semver(normalized_semver(text) if normalize else text)


def _compared(one: Any, other: Any) -> int:
    mine, theirs = [value.order if isinstance(value, Semver) else value.amount for value in (one, other)]
    return int(mine > theirs) - int(mine < theirs)


def _integer(value: Quantity) -> int:
    if not _is_integer(value):
        raise EvaluationError("cannot convert value to integer")
    return int(value.amount)


def _is_integer(value: Quantity) -> bool:
    return value.whole and -_LARGEST <= value.amount <= _LARGEST


FUNCTIONS: dict[str, Any] = {
    "_+_": _add,
    "_-_": _subtract,
    "_*_": lambda one, other: _checked(one * other) if isinstance(one, int) else one * other,
    "_/_": _divide,
    "_%_": _modulo,
    "-_": lambda one: -one if isinstance(one, float) else _checked(-one),
    "!_": lambda value: not value,
    "@in": _contained,
    **{operator: _ordering(operator) for operator in ("_<_", "_<=_", "_>_", "_>=_")},
    "size": len,
    "contains": lambda text, part: part in text,
    "startsWith": lambda text, part: text.startswith(part),
    "endsWith": lambda text, part: text.endswith(part),
    "matches": lambda text, expression: compiled(expression).search(text) is not None,
    "lowerAscii": lambda text: text.translate(_LOWER),
    "upperAscii": lambda text: text.translate(_UPPER),
    "trim": lambda text: text.strip(_SPACES),
    "value": _value,
    "hasValue": lambda found: found.present,
    "quantity": quantity_of,
    "isGreaterThan": lambda one, other: _compared(one, other) > 0,
    "isLessThan": lambda one, other: _compared(one, other) < 0,
    "compareTo": _compared,
    "asInteger": _integer,
    "isInteger": _is_integer,
    "semver": _semver,
    "major": lambda value: value.major,
    "minor": lambda value: value.minor,
    "patch": lambda value: value.patch,
}
