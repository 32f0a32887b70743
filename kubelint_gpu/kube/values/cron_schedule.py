"""The shortest time between two runs of a CronJob.

Behaviour: github.com/robfig/cron v3 `ParseStandard`, as the CronJob controller 1.34 uses it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date, timedelta
from itertools import pairwise

from kubelint_gpu.patterns import pattern

_MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_NAMES = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_DAYS = {name: number for number, name in enumerate(_DAY_NAMES)}
_BOUNDS: tuple[tuple[int, int, Mapping[str, int]], ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, _MONTHS),
    (0, 6, _DAYS),
)
_PART = pattern(r"(?P<first>[*?]|\w+)(-(?P<last>\w+))?(/(?P<step>[0-9]+))?", re.ASCII)
_DURATION = pattern(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_DAY = 24 * 60
# after so many years days of the week and of the month meet as before
_YEARS = 28


def shortest_interval(schedule: str) -> int | None:
    """The fewest seconds between two starts of a schedule, without changes of summer time.

    None if it cannot be parsed, or starts at most once.
    """
    text = schedule.strip()
    if text.startswith("@every "):
        return _duration(text.removeprefix("@every ").strip())
    fields = _MACROS.get(text, text).split()
    if len(fields) != len(_BOUNDS):
        return None
    found = [_field(field, *bounds) for field, bounds in zip(fields, _BOUNDS, strict=True)]
    minutes, hours, days, months, weekdays = found
    if minutes is None or hours is None or days is None or months is None or weekdays is None:
        return None
    times = sorted(hour * 60 + minute for hour in hours[0] for minute in minutes[0])
    gaps = [later - earlier for earlier, later in pairwise(times)]
    apart = _fewest_days(days, months[0], weekdays)
    if apart is not None:
        gaps.append(apart * _DAY - (times[-1] - times[0]))
    return min(gaps) * 60 if gaps else None


def _fewest_days(
    days: tuple[frozenset[int], bool], months: frozenset[int], weekdays: tuple[frozenset[int], bool]
) -> int | None:
    """The fewest days between two days with a start."""
    found: int | None = None
    before: date | None = None
    day = date(2001, 1, 1)
    for _ in range(_YEARS * 366):
        of_month, of_week = day.day in days[0], day.isoweekday() % 7 in weekdays[0]
        # two restrictions are alternatives, a star restricts nothing
        starts = of_month and of_week if days[1] or weekdays[1] else of_month or of_week
        if starts and day.month in months:
            if before is not None:
                found = min((day - before).days, found or (day - before).days)
            before = day
            if found == 1:
                break
        day += timedelta(days=1)
    return found


def _field(text: str, least: int, most: int, names: Mapping[str, int]) -> tuple[frozenset[int], bool] | None:
    """The numbers in a field, and whether it is a star; None if it cannot be parsed."""
    numbers: set[int] = set()
    star = False
    for part in text.split(","):
        found = _PART().fullmatch(part)
        if found is None:
            return None
        whole = found["first"] in ("*", "?")
        first = least if whole else _number(found["first"], names)
        last = _number(found["last"], names) if found["last"] else first
        step = int(found["step"] or 1)
        if whole or (found["step"] and not found["last"]):
            last = most
        if first is None or last is None or not least <= first <= last <= most or not step or (whole and found["last"]):
            return None
        star = star or (whole and step == 1)
        numbers.update(range(first, last + 1, step))
    return frozenset(numbers), star


def _number(text: str, names: Mapping[str, int]) -> int | None:
    return int(text) if text.isdigit() else names.get(text.lower())


def _duration(text: str) -> int | None:
    seconds, place = 0.0, 0
    while part := _DURATION().match(text, place):
        seconds, place = seconds + float(part[1]) * _SECONDS[part[2]], part.end()
    return max(1, int(seconds)) if place == len(text) and place > 0 and seconds < math.inf else None
