"""Spans of time and points in time.

Source: cel-go 0.26, common/types/duration.go and timestamp.go; times without a zone are in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.cel_values import Duration, Timestamp, type_name
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


def conversion_error(value: Any, wanted: str) -> EvaluationError:
    """The error of a value that cannot become one of another type."""
    return EvaluationError(f"type conversion error from '{type_name(value)}' to '{wanted}'")


def time_sum(one: Duration | Timestamp, other: Duration | Timestamp, sign: int = 1) -> Duration | Timestamp:
    """The sum or, with -1 for a `sign`, the difference of two times.

    Raises:
        EvaluationError: it is out of range.
    """
    found = one.nanoseconds + sign * other.nanoseconds
    points = isinstance(one, Timestamp) + isinstance(other, Timestamp)
    if points == 1:
        return _at(found)
    return _span(found, "integer" if points else "duration")


def _span(value: int, kind: str = "duration") -> Duration:
    if not -(2**63) <= value < 2**63:
        raise EvaluationError(f"{kind} overflow")
    return Duration(value)


def _at(value: int) -> Timestamp:
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
        return _at(value * 10**9)
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
    return _at(seconds * 10**9 + int(f"{found[4] or 0:0<9}"[:9]))


def _moved(zone: str) -> int:
    """How many minutes a zone is east of UTC."""
    if zone in ("", "UTC"):
        return 0
    found = _ZONE().fullmatch(zone)
    if found is None or len(zone) > 12:
        raise NotKnown("zones of time are not modelled")
    return int(f"{found[1]}1") * (int(found[2]) * 60 + int(found[3]))


def _getter(read: Callable[[datetime], int], unit: int = 0) -> Callable[..., int]:
    """What reads a part of a point in time, or with a `unit` how many of these a span has."""

    def get(value: Duration | Timestamp, zone: str = "") -> int:
        if isinstance(value, Duration):
            found = abs(value.nanoseconds) // unit
            return found if value.nanoseconds >= 0 else -found
        return read(_EPOCH + timedelta(microseconds=value.nanoseconds // 1000, minutes=_moved(zone)))

    return get


FUNCTIONS: dict[str, Any] = {
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
