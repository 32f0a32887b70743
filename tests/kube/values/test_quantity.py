"""Quantities: exact, in the units of the scheduler, and as a person writes them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.kube.values.quantity import QuantityError, parse_quantity, scheduler_units, shown, thousandths, whole


@pytest.mark.parametrize(
    ("text", "resource", "units"),
    [
        ("0.1", "cpu", 100),
        ("100m", "cpu", 100),
        ("100.5m", "cpu", 101),
        ("1001u", "cpu", 2),
        ("1n", "cpu", 1),
        (2, "cpu", 2000),
        (0.5, "cpu", 500),
        ("128974848", "memory", 128974848),
        ("129e6", "memory", 129000000),
        ("129M", "memory", 129000000),
        ("123Mi", "memory", 128974848),
        ("0.5", "memory", 1),
        ("100m", "memory", 1),
        ("1E", "memory", 10**18),
        ("1E3", "memory", 1000),
        ("1e-3", "memory", 1),
        ("+2", "nvidia.com/gpu", 2),
        (".5Ki", "memory", 512),
        ("1.", "pods", 1),
    ],
)
def test_a_quantity_in_the_schedulers_units(text, resource, units):
    assert scheduler_units(resource, thousandths(text)) == units


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("1K", "k or Ki"),
        ("1 Gi", "a number, then nothing"),
        (" 1Gi", 'write "1Gi" without spaces'),
        ("1GB", "G or Gi"),
        ("1gi", "Gi"),
        ("1g", "G or Gi"),
        ("8 core", "a number, then nothing"),
        ("", "a number, then nothing"),
        ("1_000", "a number, then nothing"),
        ("٣", "a number, then nothing"),
        ("1e9999", "the exponent"),
        (True, "not the boolean"),
        ([1], "must be a quantity"),
    ],
)
def test_a_text_that_is_no_quantity_is_told_what_would_be_one(text, hint):
    with pytest.raises(QuantityError, match=hint):
        thousandths(text)


@pytest.mark.parametrize(
    ("text", "parts", "of"),
    [("40Gi", 40 * 2**30, 1), ("100m", 1, 10), ("-1.5k", -1500, 1), (".5Ki", 512, 1), ("1.25e-2", 1, 80), ("5.", 5, 1)],
)
def test_quantities_are_exact_and_whole_ones_integers(text, parts, of):
    assert parse_quantity(text) == Fraction(parts, of)
    assert isinstance(parse_quantity(text), int) == (of == 1)


def test_whole_amounts_are_rounded_up_and_fit_an_int64():
    assert (whole(Fraction(1, 10)), whole(Fraction(-1, 10)), whole(7)) == (1, 0, 7)
    assert (whole(2**70), whole(-(2**70))) == (2**63 - 1, -(2**63))


@given(st.integers(0, 10**30))
def test_integers_are_exact(number):
    assert parse_quantity(number) == parse_quantity(str(number)) == Fraction(number)


@pytest.mark.parametrize(
    ("resource", "amount", "text"),
    [
        ("cpu", 1500, "1500m"),
        ("cpu", 2000, "2"),
        ("memory", 16 * 2**30, "16Gi"),
        ("memory", 1000, "1000"),
        ("memory", 0, "0"),
        ("hugepages-2Mi", 2**21, "2Mi"),
        ("nvidia.com/gpu", 1024, "1024"),
    ],
)
def test_amounts_are_shown_as_a_person_writes_them(resource, amount, text):
    assert shown(resource, amount) == text
