"""Arithmetic, comparisons and conversions, including times.

Source of times: cel-go 0.26, common/types/duration.go and timestamp.go; times without a zone are in UTC.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.cel_values import Duration, Map, Timestamp, TypeValue, Uint, compare, equal_inside, type_name
from kubelint_gpu.patterns import pattern

_PART = pattern(r"([0-9]*(?:\.[0-9]*)?)(ns|us|µs|μs|ms|s|m|h)")
_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_POINT = pattern(
    r"(\d{4}-\d\d-\d\dT)(\d{1,2})(:\d\d:\d\d)(?:[.,](\d+))?(?:Z|([+-])([01]\d|2[0-4]):([0-5]\d))", re.ASCII
)
_ZONE = pattern(r"([+-]?)(\d+):(\d+)", re.ASCII)
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - all is counted from it in UTC
_SECONDS = -62135596800, 253402300799
"""From year 1 to 9999."""
_INTEGER = pattern(r"[+-]?[0-9]+", re.ASCII)
_DOUBLE = pattern(
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:inf|infinity)|nan", re.ASCII | re.IGNORECASE
)


def conversion_error(value: Any, wanted: str) -> EvaluationError:
    """The error for a value that cannot be converted to a type."""
    return EvaluationError(f"type conversion error from '{type_name(value)}' to '{wanted}'")


def time_sum(one: Duration | Timestamp, other: Duration | Timestamp, sign: int = 1) -> Duration | Timestamp:
    """The sum or, with -1 for a `sign`, the difference of two times. Raises EvaluationError if it is out of range."""
    found = one.nanoseconds + sign * other.nanoseconds
    points = isinstance(one, Timestamp) + isinstance(other, Timestamp)
    if points == 1:
        return _timestamp_at(found)
    return _span(found, "integer" if points else "duration")


def _span(value: int, kind: str = "duration") -> Duration:
    if not -(2**63) <= value < 2**63:
        raise EvaluationError(f"{kind} overflow")
    return Duration(value)


def _timestamp_at(value: int) -> Timestamp:
    if not _SECONDS[0] <= value // 10**9 <= _SECONDS[1]:
        raise EvaluationError("timestamp overflow")
    return Timestamp(value)


def _to_duration(value: Any) -> Duration:
    if isinstance(value, Duration):
        return value
    if isinstance(value, int):
        raise conversion_error(value, "google.protobuf.Duration")
    body = value[1:] if value[:1] in ("+", "-") else value
    if body == "0":
        return Duration(0)
    total = Fraction(0)
    last = 0
    while part := _PART().match(body, last):
        if part[1] in ("", "."):
            raise conversion_error(value, "google.protobuf.Duration")
        total += Fraction(part[1]) * _UNITS[part[2]]
        last = part.end()
    if not body or last != len(body) or len(body) > 200:
        raise conversion_error(value, "google.protobuf.Duration")
    return _span(int(total) * (-1 if value.startswith("-") else 1))


def _to_timestamp(value: Any) -> Timestamp:
    if isinstance(value, Timestamp):
        return value
    if isinstance(value, int):
        return _timestamp_at(value * 10**9)
    found = _POINT().fullmatch(value)
    if found is None:
        raise conversion_error(value, "google.protobuf.Timestamp")
    try:
        read = datetime.fromisoformat(f"{found[1]}{found[2]:0>2}{found[3]}")
    except ValueError:
        raise conversion_error(value, "google.protobuf.Timestamp") from None
    seconds = (read - _EPOCH) // timedelta(seconds=1)
    if found[5]:
        seconds -= int(f"{found[5]}1") * (int(found[6]) * 3600 + int(found[7]) * 60)
    return _timestamp_at(seconds * 10**9 + int(f"{found[4] or 0:0<9}"[:9]))


def _moved(zone: str) -> int:
    """How many minutes a zone is east of UTC."""
    if zone in ("", "UTC"):
        return 0
    found = _ZONE().fullmatch(zone)
    if found is None or len(zone) > 12:
        raise NotKnown("zones of time are not modelled")
    return int(f"{found[1]}1") * (int(found[2]) * 60 + int(found[3]))


def _getter(read: Callable[[datetime], int], unit: int = 0) -> Callable[..., int]:
    """A function that reads a part of a timestamp or, with a `unit`, the length of a duration in this unit."""

    def get(value: Duration | Timestamp, zone: str = "") -> int:
        if isinstance(value, Duration):
            found = abs(value.nanoseconds) // unit
            return found if value.nanoseconds >= 0 else -found
        return read(_EPOCH + timedelta(microseconds=value.nanoseconds // 1000, minutes=_moved(zone)))

    return get


_TIMES: dict[str, Any] = {
    "duration": _to_duration,
    "timestamp": _to_timestamp,
    "getFullYear": _getter(lambda at: at.year),
    "getMonth": _getter(lambda at: at.month - 1),
    "getDayOfYear": _getter(lambda at: at.timetuple().tm_yday - 1),
    "getDayOfMonth": _getter(lambda at: at.day - 1),
    "getDate": _getter(lambda at: at.day),
    "getDayOfWeek": _getter(lambda at: at.isoweekday() % 7),
    "getHours": _getter(lambda at: at.hour, 3600 * 10**9),
    "getMinutes": _getter(lambda at: at.minute, 60 * 10**9),
    "getSeconds": _getter(lambda at: at.second, 10**9),
    "getMilliseconds": _getter(lambda at: at.microsecond // 1000, 10**6),
}


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
    **_TIMES,
    **{operator: _ordering(operator) for operator in ("_<_", "_<=_", "_>_", "_>=_")},
}
CONVERSIONS = frozenset(["bool", "bytes", "double", "int", "string", "uint"])
