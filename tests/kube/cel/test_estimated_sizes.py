"""Sizes of values add and multiply up to the largest number that cel-go has."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.cel.estimated_sizes import MOST, UNKNOWN, Size, is_scalar, replaced, scaled


def test_nothing_is_larger_than_the_largest_number() -> None:
    assert Size(1, 2).plus(UNKNOWN) == Size(1, MOST)
    assert Size(2, 3).times(UNKNOWN) == Size(0, MOST)
    assert scaled(MOST, 0.1) < MOST == scaled(MOST, 2.0)


def test_a_value_that_is_one_of_two_is_as_large_as_either() -> None:
    assert Size(1, 2).or_else(Size(5, 9)) == Size(1, 9)


@pytest.mark.parametrize(
    ("text", "old", "new", "most"),
    [((0, 10), (1, 1), (2, 2), 20), ((0, 10), (0, 0), (2, 2), 32), ((0, 10), (3, 3), (1, 1), 10)],
)
def test_the_longest_text_after_parts_are_replaced(text, old, new, most) -> None:
    assert replaced(Size(*text), Size(*old), Size(*new)).most == most


def test_an_optional_scalar_is_a_scalar() -> None:
    assert is_scalar(("optional_type", "int"))
    assert not is_scalar(("list", "int"))
