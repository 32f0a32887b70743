"""Points in time and spans of time; the values are those that cel-go 0.26 gave."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.cel_values import Duration, Timestamp
from kubelint_gpu.kube.cel.functions.numbers import FUNCTIONS, time_sum

DAY = 24 * 3600 * 10**9
LEAP = "2024-02-29T12:34:56.789Z"


@pytest.mark.parametrize(
    ("function", "found"),
    [
        ("getFullYear", 2024),
        ("getMonth", 1),
        ("getDayOfYear", 59),
        ("getDayOfMonth", 28),
        ("getDate", 29),
        ("getDayOfWeek", 4),
        ("getHours", 12),
        ("getMinutes", 34),
        ("getSeconds", 56),
        ("getMilliseconds", 789),
    ],
)
def test_parts_of_a_point_in_time_count_from_where_cel_counts(function, found):
    assert FUNCTIONS[function](FUNCTIONS["timestamp"](LEAP)) == found


def test_zones_are_moved_by_their_hours_and_minutes():
    time = FUNCTIONS["timestamp"]("2024-02-29T12:34:56+02:00")
    assert [FUNCTIONS["getHours"](time, zone) for zone in ("", "UTC", "+02:00", "02:00", "-02:30")] == [
        10,
        10,
        12,
        12,
        8,
    ]
    with pytest.raises(NotKnown):
        FUNCTIONS["getHours"](time, "America/New_York")


@pytest.mark.parametrize(
    "text",
    ["x", "2024-02-30T00:00:00Z", "2024-01-01t00:00:00Z", "2024-01-01T00:00:60Z", "2024-01-01T24:00:00Z",
     "2024-01-01T00:00:00", "0000-01-01T00:00:00Z", "2024-01-01T00:00:00+25:00", ""],
)  # fmt: skip
def test_a_text_that_is_no_point_in_time_has_no_value(text):
    with pytest.raises(EvaluationError):
        FUNCTIONS["timestamp"](text)


def test_sums_keep_within_the_years_1_to_9999():
    first = FUNCTIONS["timestamp"]("2024-01-01T00:00:00Z")
    assert time_sum(Duration(DAY), first) == FUNCTIONS["timestamp"]("2024-01-02T00:00:00Z")
    assert time_sum(first, first, -1) == Duration(0)
    with pytest.raises(EvaluationError, match="timestamp overflow"):
        time_sum(FUNCTIONS["timestamp"]("0001-01-01T00:00:00Z"), Duration(1), -1)
    with pytest.raises(EvaluationError, match="integer overflow"):
        time_sum(FUNCTIONS["timestamp"]("9999-12-31T23:59:59Z"), Timestamp(-(2**62)), -1)
