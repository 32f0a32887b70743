"""The last day of a suppression, and the ways to write it wrongly."""

from __future__ import annotations

import pytest

from kubelint_gpu.findings.expiry import day_problem, expiry, over


def test_the_day_stands_before_the_reason():
    found = expiry("until=2027-01-31 the new nodes come")
    assert (found.until, found.reason, found.wrong) == ("2027-01-31", "the new nodes come", "")


@pytest.mark.parametrize("text", ["", "for good", "we waited until the nodes came", "through the proxy"])
def test_a_reason_without_a_day_holds_for_ever(text):
    found = expiry(text)
    assert (found.until, found.reason, found.wrong) == ("", text, "")


@pytest.mark.parametrize(
    "text",
    ["until: 2027-01-31", "until 2027-01-31 x", "untill=2027-01-31", "expires: 2027-01-31", "reason until=2027-01-31"],
)
def test_a_day_that_would_not_count_is_told(text):
    found = expiry(text)
    assert found.until == ""
    assert "write until=" in found.wrong


@pytest.mark.parametrize(
    ("day", "problem"),
    [
        ("2027-01-31", ""),
        ("", "names no last day"),
        ("31.1.2027", "is no day;"),
        ("2027-02-30", "is no day of the calendar"),
    ],
)
def test_a_day_is_one_of_the_calendar(day, problem):
    assert problem in day_problem(day)
    assert bool(day_problem(day)) == bool(problem)


def test_the_last_day_still_counts():
    assert not over("2027-01-31", "2027-01-31")
    assert over("2027-01-31", "2027-02-01")
    assert not over("", "9999-12-31")
