"""The shortest time between two starts of a schedule."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubelint_gpu.kube.values.cron_schedule import shortest_interval

MINUTE, HOUR, DAY = 60, 3_600, 86_400


@pytest.mark.parametrize(
    ("schedule", "seconds"),
    [
        ("* * * * *", MINUTE),
        ("*/15 * * * *", 15 * MINUTE),
        ("*/25 * * * *", 10 * MINUTE),
        ("0 * * * *", HOUR),
        ("@hourly", HOUR),
        ("0 */6 * * *", 6 * HOUR),
        ("0 */7 * * *", 3 * HOUR),
        ("30 2 * * *", DAY),
        ("0 2,3 * * *", HOUR),
        ("0 1,23 * * *", 2 * HOUR),
        ("59 23 * * *", DAY),
        ("0 2 * * 1", 7 * DAY),
        ("0 2 * * MON-FRI", DAY),
        ("0 2 * * mon,thu", 3 * DAY),
        ("0 2 1 * *", 28 * DAY),
        ("0 2 1,15 * *", 14 * DAY),
        ("0 2 31 * *", 31 * DAY),
        ("0 2 1 jan *", 365 * DAY),
        ("0 2 29 2 *", 4 * 365 * DAY + DAY),
        # a day of the month or a day of the week, where both are named
        ("0 2 1 * 1", DAY),
        ("0 2 */2 * 1", DAY),
        ("0 2 ? * 0", 7 * DAY),
        ("@weekly", 7 * DAY),
        ("@monthly", 28 * DAY),
        ("@yearly", 365 * DAY),
        ("@every 90m", 90 * MINUTE),
        ("@every 1h30m10s", 5_410),
        ("@every 1.5h", 90 * MINUTE),
        ("@every 10ms", 1),
        ("5/20 0 * * *", 20 * MINUTE),
        (" 0 0 * * * ", DAY),
    ],
)
def test_the_shortest_time_between_two_starts(schedule, seconds):
    assert shortest_interval(schedule) == seconds


@pytest.mark.parametrize(
    "schedule",
    [
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 7",
        "*/0 * * * *",
        "5-1 * * * *",
        "*-5 * * * *",
        "a * * * *",
        "0 0 30 2 *",
        "@often",
        "@every",
        "@every 5",
        "@every h",
        "²/2 * * * *",
        "TZ=UTC 0 0 * * *",
    ],
)
def test_what_cannot_be_read_or_never_starts_twice_has_none(schedule):
    assert shortest_interval(schedule) is None


_numbers = st.integers(0, 23)
_few = st.lists(_numbers, min_size=1, max_size=3, unique=True).map(lambda found: ",".join(map(str, sorted(found))))


@settings(max_examples=60, deadline=None)
@given(
    _few,
    _few,
    st.one_of(st.just("*"), st.lists(st.integers(0, 6), min_size=1, max_size=3).map(lambda f: ",".join(map(str, f)))),
)
def test_it_is_what_a_walk_through_the_minutes_finds(minutes, hours, days):
    wanted = [{int(one) for one in field.split(",")} for field in (minutes, hours)]
    week = set(range(7)) if days == "*" else {int(one) for one in days.split(",")}
    moment, starts = datetime(2026, 1, 1), []  # noqa: DTZ001 - a calendar without time zones
    for _ in range(16 * 24):
        if moment.hour in wanted[1] and moment.isoweekday() % 7 in week:
            starts += [moment + timedelta(minutes=minute) for minute in sorted(wanted[0])]
        moment += timedelta(hours=1)
    gaps = [int((later - earlier).total_seconds()) for earlier, later in pairwise(starts)]
    assert shortest_interval(f"{minutes} {hours} * * {days}") == min(gaps)
