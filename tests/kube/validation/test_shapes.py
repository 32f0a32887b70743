"""Tables of what fields may hold."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.validation.shapes import Keyed, Many, Shape, Word, problems_of
from kubelint_gpu.kube.values.errors import field_path

LOWER = Word("lower case", str.islower)
NEEDED = Word("lower case", str.islower, required=True)


def told(value, table):
    return [(field_path(one.pointer), one.detail) for one in problems_of(value, table, ("f",))]


@pytest.mark.parametrize("value", ["a", "", 3, "${A}", None])
def test_a_text_is_told_where_it_is_one_and_not_lawful(value):
    assert told(value, LOWER) == []
    assert told("A", LOWER) == [("f", 'must be lower case, not "A"')]


def test_a_text_may_have_to_be_there():
    assert told(None, NEEDED) == [("f", "is required")]
    assert told("", NEEDED) == [("f", "is required")]
    assert told("", Word("lower case", str.islower, empty=False)) == [("f", "may not be empty")]


def test_a_mapping_is_looked_at_field_by_field():
    table = Shape({"a": NEEDED, "b": LOWER, "c": Shape({"d": NEEDED}, required=True), "e": Shape({"d": NEEDED})})
    assert [field for field, _ in told({"b": "B"}, table)] == ["f.a", "f.b", "f.c.d"]
    assert told("no mapping", table) == []


def test_a_list_is_short_and_its_entries_differ():
    assert told(["a", "b", "a"], Many(LOWER, 2)) == [
        ("f", "must have at most 2 items, and has 3"),
        ("f[2]", 'is given twice: "a"'),
    ]
    assert told(["a", "a"], Many(LOWER, 2, None)) == []
    assert told([{"n": "a"}, {"n": "a"}], Many(Shape({"n": LOWER}), 2, "n")) == [("f[1].n", 'is given twice: "a"')]


def test_keys_are_looked_at_and_counted():
    assert told({"A": {}, "b": {}}, Keyed(LOWER, 1)) == [
        ("f", "must have at most 1 entries, and has 2"),
        ("f.A", 'must be lower case, not "A"'),
    ]
    assert told({}, Keyed(LOWER, required=True)) == [("f", "must have one entry or more")]
    assert told({"a": {}}, Keyed(LOWER, item=Shape({"n": NEEDED}))) == [("f.a.n", "is required")]
