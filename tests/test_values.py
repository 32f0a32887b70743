"""Values behave as the standard library's frozen dataclasses with slots."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import typing
from typing import Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu import values

T = TypeVar("T")


def both(**options):
    """The same class made here and by the standard library."""

    def made(module, base):
        @module.dataclass(frozen=True, slots=True, **options)
        class Point(base):
            """A point."""

            x: int
            y: tuple[int, ...] = ()
            names: dict[str, int] = module.field(default_factory=dict, compare=False, repr=False)

            @property
            def double(self) -> int:
                return self.x * 2

        return Point

    return made(values, values.Value), made(dataclasses, object)


OURS, THEIRS = both()
OUR_ORDER, THEIR_ORDER = both(order=True)
arguments = st.tuples(st.integers(-2, 2), st.lists(st.integers(0, 1), max_size=2).map(tuple))


@given(arguments, arguments)
def test_equality_and_hash(one, other):
    assert (OURS(*one) == OURS(*other)) == (THEIRS(*one) == THEIRS(*other))
    if one == other:
        assert hash(OURS(*one)) == hash(OURS(*other))
    assert OURS(*one) != THEIRS(*one)


@given(arguments, arguments)
def test_order(one, other):
    for compare in ("__lt__", "__le__", "__gt__", "__ge__"):
        ours = getattr(OUR_ORDER(*one), compare)(OUR_ORDER(*other))
        assert ours == getattr(THEIR_ORDER(*one), compare)(THEIR_ORDER(*other))
    with pytest.raises(TypeError):
        assert OURS(1) < OURS(2)


@given(arguments)
def test_text_and_replacement(given_arguments):
    ours, theirs = OURS(*given_arguments), THEIRS(*given_arguments)
    assert repr(ours) == repr(theirs)
    assert values.replace(ours, x=9) == OURS(9, given_arguments[1])
    assert ours.double == theirs.double


def test_nothing_changes_a_value():
    value = OURS(1)
    with pytest.raises(AttributeError):
        value.x = 2
    with pytest.raises(AttributeError):
        del value.x
    with pytest.raises((AttributeError, TypeError)):
        value.other = 2


def test_a_default_factory_makes_a_new_one_each_time():
    assert OURS(1).names is not OURS(1).names
    assert OURS(1, (), {"a": 1}).names == {"a": 1}


@pytest.mark.parametrize("bad", [((), {}), ((1, (), {}, 4), {}), ((1,), {"z": 1}), ((1,), {"x": 2})])
def test_wrong_arguments_are_type_errors(bad):
    for made in (OURS, THEIRS):
        with pytest.raises(TypeError):
            made(*bad[0], **bad[1])


@values.dataclass(frozen=True, slots=True)
class Kept:
    x: int
    y: str = "a"


def test_values_are_copied_and_pickled():
    value = Kept(1)
    assert copy.copy(value) == copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - its own
    assert [found.name for found in values.fields(Kept)] == ["x", "y"]


def test_identity_and_mutable_and_generic_classes():
    @values.dataclass(frozen=True, slots=True, eq=False)
    class Only:
        x: int

    assert Only(1) != Only(1)

    @values.dataclass(slots=True)
    class Mutable:
        x: int = 0

    value = Mutable()
    value.x = 5
    assert value == Mutable(5)
    with pytest.raises(TypeError):
        hash(value)

    @values.dataclass(frozen=True, slots=True)
    class Box(Generic[T]):
        content: T

    @values.dataclass(frozen=True, slots=True)
    class Named(Box[int]):
        name: str = ""

    assert Box("a") == Box("a")
    assert Named(1, "n") == Named(content=1, name="n")
    assert not hasattr(Named(1), "__dict__")


def test_a_class_is_made_once_whose_statement_names_value():
    made = []

    class Counted:
        def __set_name__(self, owner, _name):
            made.append(owner)

    @values.dataclass(frozen=True, slots=True)
    class Point(values.Value):
        """A point."""

        x: int
        counted = Counted()

        def me(self):
            return __class__

    assert made == [Point]
    assert (Point.__mro__, Point.__doc__, Point(1).me()) == ((Point, object), "A point.", Point)
    assert Point.__qualname__ == "test_a_class_is_made_once_whose_statement_names_value.<locals>.Point"


def test_only_values_with_slots_are_made():
    with pytest.raises(TypeError):
        values.dataclass(frozen=True, slots=False)(type("A", (), {}))


class Named(values.NamedTuple):
    """A place."""

    x: int
    y: tuple[int, ...] = ()

    @property
    def double(self) -> int:
        return self.x * 2


class Theirs(typing.NamedTuple):
    x: int
    y: tuple[int, ...] = ()


@given(arguments, arguments)
def test_named_tuples_are_those_of_the_standard_library(one, other):
    ours, theirs = Named(*one), Theirs(*one)
    assert ours == theirs == tuple(ours)
    assert hash(ours) == hash(theirs)
    assert repr(ours) == repr(theirs).replace("Theirs", "Named")
    assert (ours < Named(*other)) == (theirs < Theirs(*other))
    assert (ours.x, ours.y, ours.double) == (theirs.x, theirs.y, theirs.x * 2)
    assert ours._replace(y=5) == theirs._replace(y=5)
    assert type(ours._replace(x=0)) is Named
    assert copy.deepcopy(ours) == pickle.loads(pickle.dumps(ours)) == ours  # noqa: S301 - its own
    assert type(copy.copy(ours)) is Named


@pytest.mark.parametrize("bad", [((), {}), ((1, (), 4), {}), ((1,), {"z": 1}), ((1,), {"x": 2})])
def test_named_tuples_refuse_what_those_of_the_standard_library_refuse(bad):
    for made in (Named, Theirs):
        with pytest.raises(TypeError):
            made(*bad[0], **bad[1])
        with pytest.raises(ValueError, match="unexpected field"):
            made(1)._replace(z=1)
        with pytest.raises(AttributeError):
            made(1).x = 2
        match made(1, (2,)):
            case made(x, y):
                assert (x, y) == (1, (2,))
    assert not hasattr(Named(1), "__dict__")


def test_a_named_tuple_may_hold_nothing():
    class Nothing(values.NamedTuple):
        """Without places."""

    assert Nothing() == ()
    assert repr(Nothing()) == "Nothing()"


def test_what_is_kept_is_worked_out_once_and_is_no_part_of_the_value():
    asked = []

    @values.dataclass(frozen=True, slots=True)
    class Base:
        x: int

        @values.kept
        def double(self):
            asked.append(self.x)
            return self.x * 2

    @values.dataclass(frozen=True, slots=True)
    class Further(Base):
        y: int = 1

        @values.kept
        def sum(self):
            return self.double + self.y

    one = Further(2)
    assert (one.sum, one.sum, one.double, asked) == (5, 5, 4, [2])
    assert one == Further(2)
    assert hash(one) == hash(Further(2))
    assert repr(one).endswith("Further(x=2, y=1)")
    assert (values.replace(one, x=3).sum, asked) == (7, [2, 3])
    with pytest.raises(AttributeError, match="double"):
        one.double = 3
    with pytest.raises(AttributeError, match="has no attribute 'triple'"):
        assert one.triple


def test_what_is_replaced_by_itself_is_the_same_value():
    names = {"a": 1}
    one = OURS(1, (2,), names)
    assert values.replace(one, x=1, names=names) is one
    other = values.replace(one, names=dict(names))
    assert other == one
    assert other.names is not names
    with pytest.raises(TypeError):
        values.replace(one, z=1)

    @values.dataclass(slots=True)
    class Changing:
        x: int

    first = Changing(1)
    assert values.replace(first, x=1) is not first
