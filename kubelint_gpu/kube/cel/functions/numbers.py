"""Arithmetic, comparisons and conversions."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.cel_values import Duration, Map, Timestamp, TypeValue, Uint, compare, equal_inside, type_name
from kubelint_gpu.kube.cel.functions.times import FUNCTIONS as TIMES
from kubelint_gpu.kube.cel.functions.times import conversion_error, time_sum
from kubelint_gpu.patterns import pattern

_INTEGER = pattern(r"[+-]?[0-9]+", re.ASCII)
_DOUBLE = pattern(
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:inf|infinity)|nan", re.ASCII | re.IGNORECASE
)


def _checked(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise EvaluationError("integer overflow")
    return value


def _unsigned(value: int) -> Uint:
    if not 0 <= value < 2**64:
        raise EvaluationError("unsigned integer overflow")
    return Uint(value)


def _whole(one: Any, value: int) -> int:
    return _unsigned(value) if type(one) is Uint else _checked(value)


def _add(one: Any, other: Any) -> Any:
    if isinstance(one, (Duration, Timestamp)):
        return time_sum(one, other)
    found = one + other
    return _whole(one, found) if isinstance(one, int) else found


def _subtract(one: Any, other: Any) -> Any:
    if isinstance(one, (Duration, Timestamp)):
        return time_sum(one, other, -1)
    return _whole(one, one - other) if isinstance(one, int) else one - other


def _divide(one: Any, other: Any) -> Any:
    if isinstance(one, float):
        if other:
            return one / other
        return math.nan if not one or math.isnan(one) else math.copysign(math.inf, one) * math.copysign(1, other)
    if not other:
        raise EvaluationError("division by zero")
    found = abs(one) // abs(other)
    return _whole(one, found if (one < 0) == (other < 0) else -found)


def _modulo(one: Any, other: Any) -> Any:
    if not other:
        raise EvaluationError("modulus by zero")
    found = abs(one) % abs(other)
    return _whole(one, found if one >= 0 else -found)


def _ordering(operator: str) -> Any:
    def ordered(one: Any, other: Any) -> bool:
        if any(isinstance(value, float) and math.isnan(value) for value in (one, other)):
            raise EvaluationError("NaN values cannot be ordered")
        found = compare(one, other, operator)
        return {"_<_": found < 0, "_<=_": found <= 0, "_>_": found > 0, "_>=_": found >= 0}[operator]

    return ordered


def _contained(one: Any, among: Any) -> bool:
    if type(among) is Map:
        return among.has(one)
    return any(equal_inside(one, other) for other in among)


def _to_int(value: Any) -> int:
    if isinstance(value, str):
        if len(value) > 24 or _INTEGER().fullmatch(value) is None:
            raise conversion_error(value, "int")
        found = int(value)
        if not -(2**63) <= found < 2**63:
            raise conversion_error(value, "int")
        return found
    if isinstance(value, Duration):
        return value.nanoseconds
    if isinstance(value, Timestamp):
        return value.nanoseconds // 10**9
    if isinstance(value, float) and not -(2**63) < value < 2**63:
        raise EvaluationError("integer overflow")
    return _checked(int(value))


def _to_uint(value: Any) -> Uint:
    if isinstance(value, str):
        if not value.isascii() or not value.isdigit() or len(value) > 24 or int(value) >= 2**64:
            raise conversion_error(value, "uint")
        return Uint(int(value))
    if isinstance(value, float) and not -1 < value < 2**64:
        raise EvaluationError("unsigned integer overflow")
    return _unsigned(int(value))


def _to_double(value: Any) -> float:
    if isinstance(value, str):
        if len(value) > 400 or _DOUBLE().fullmatch(value) is None:
            raise conversion_error(value, "double")
        return float(value)
    return float(value)


def _to_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("1", "t", "T", "true", "TRUE", "True"):
        return True
    if value in ("0", "f", "F", "false", "FALSE", "False"):
        return False
    raise conversion_error(value, "bool")


def _to_string(value: Any) -> str:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise EvaluationError("invalid UTF-8 in bytes, cannot convert to string") from None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return written_double(value)
    if isinstance(value, Duration):
        return written_double(value.nanoseconds / 1e9, plain=True) + "s"
    if isinstance(value, Timestamp):
        raise NotKnown("the text of a timestamp is not modelled")
    return str(value)


def written_double(value: float, *, plain: bool = False) -> str:
    """A double in its shortest form, as Go's `%g` writes it; `plain` never uses an exponent."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    point = len(digits) + int(exponent)
    minus = "-" if sign else ""
    if text == "0":
        return f"{minus}0"
    if not plain and (point < -3 or point > 21):
        rest = f".{text[1:]}" if len(text) > 1 else ""
        return f"{minus}{text[0]}{rest}e{'-' if point < 1 else '+'}{abs(point - 1):02d}"
    if point <= 0:
        return f"{minus}0.{'0' * -point}{text}"
    if len(text) <= point:
        return minus + text + "0" * (point - len(text))
    return f"{minus}{text[:point]}.{text[point:]}"


FUNCTIONS: dict[str, Any] = {
    "_+_": _add,
    "_-_": _subtract,
    "_*_": lambda one, other: _whole(one, int(one) * int(other)) if isinstance(one, int) else one * other,
    "_/_": _divide,
    "_%_": _modulo,
    "-_": lambda one: -one if isinstance(one, float) else _checked(-one),
    "!_": lambda value: not value,
    "@in": _contained,
    "type": lambda value: TypeValue(type_name(value)),
    "dyn": lambda value: value,
    "int": _to_int,
    "uint": _to_uint,
    "double": _to_double,
    "bool": _to_bool,
    "string": _to_string,
    "bytes": lambda value: value.encode() if isinstance(value, str) else bytes(value),
    **TIMES,
    **{operator: _ordering(operator) for operator in ("_<_", "_<=_", "_>_", "_>=_")},
}
CONVERSIONS = frozenset(["bool", "bytes", "double", "int", "string", "uint"])
