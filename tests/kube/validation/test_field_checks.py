"""Every problem of a label selector, where it stands."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.validation.field_checks import Keyed, Many, Shape, Word, problems_of, selector_problems
from kubelint_gpu.kube.values.errors import field_path

LOWER = Word("lower case", str.islower)
NEEDED = Word("lower case", str.islower, required=True)


def problems(selector):
    return [(one.pointer, one.detail) for one in selector_problems(selector, ("selector",))]


def expression(**fields):
    return {"matchExpressions": [fields]}


@pytest.mark.parametrize(
    "selector",
    [
        None,
        {},
        {"matchLabels": {"app": "web", "example.com/x": ""}},
        expression(key="app", operator="In", values=["a"]),
        expression(key="app", operator="Exists"),
        {"matchExpressions": [3]},
    ],
)
def test_what_the_api_server_takes_has_no_problem(selector):
    assert problems(selector) == []


@pytest.mark.parametrize(
    ("selector", "where", "text"),
    [
        ({"matchLabels": {"a b": "x"}}, ("matchLabels", "a b"), '"a b" is not a label key'),
        ({"matchLabels": {"a": "x y"}}, ("matchLabels", "a"), '"x y" is not a label value'),
        (expression(key="a", operator="In"), ("matchExpressions", 0), "values must be specified"),
        (
            expression(key="a", operator="Exists", values=["x"]),
            ("matchExpressions", 0, "values"),
            "may not be specified",
        ),
        (expression(key="a"), ("matchExpressions", 0), "operator is required"),
        (expression(key="a", operator="in", values=["x"]), ("matchExpressions", 0, "operator"), '"in" is not a valid'),
        (expression(key="a", operator="In", values=["ok", "-"]), ("matchExpressions", 0, "values", 1), '"-" is not'),
    ],
)
def test_each_problem_has_its_place(selector, where, text):
    ((pointer, detail),) = problems(selector)
    assert pointer == ("selector", *where)
    assert detail.startswith(text)


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
