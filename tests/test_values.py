"""Values are immutable, equal by their fields, and the same object if nothing is replaced."""

from __future__ import annotations

import copy
import pickle
from functools import cached_property

import pytest
from msgspec import field

from kubelint_gpu.values import PartlyCompared, Value, replace


class Point(Value):
    """A point."""

    x: int
    y: tuple[int, ...] = ()


class Noted(PartlyCompared):
    """A value with a note that is not compared."""

    not_compared = frozenset({"note"})

    x: int
    note: dict[str, int] = field(default_factory=dict)


class Doubled(Value, dict=True):
    """A value that keeps what it works out."""

    x: int

    @cached_property
    def asked(self) -> list[int]:
        return [self.x * 2]


def test_nothing_changes_a_value():
    value = Point(1)
    with pytest.raises(AttributeError):
        value.x = 2
    assert value == Point(1) != Point(2)
    assert hash(value) == hash(Point(1))


def test_values_are_copied_and_pickled():
    value = Point(1, (2,))
    assert copy.copy(value) == copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - its own


def test_a_value_of_which_nothing_is_replaced_is_the_same_object():
    one = Point(1, (2,))
    assert replace(one, x=1, y=one.y) is one
    assert replace(one, x=3) == Point(3, (2,))
    with pytest.raises((AttributeError, TypeError)):
        replace(one, z=1)


def test_some_fields_are_not_compared():
    one, other = Noted(1, {"a": 1}), Noted(1)
    assert one == other
    assert hash(one) == hash(other)
    assert one != Noted(2)
    assert one != Point(1)
    assert Noted(1).note is not other.note


def test_what_is_kept_is_no_part_of_the_value():
    one = Doubled(2)
    assert one.asked is one.asked
    assert one == Doubled(2)
    assert replace(one, x=3).asked == [6]
