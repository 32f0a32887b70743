"""Values of several files, merged as Helm merges them."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.sources.helm.chart_values import (
    ChartValues,
    GivenValues,
    ValuesPart,
    overlay,
    values_of_file,
    values_of_object,
)

DEFAULTS = values_of_file(read("values.yaml", b"a: {b: 1, c: 2}\nlist: [1, 2]\n"))
PROD = values_of_file(read("prod.yaml", b"a:\n  c: 3\n"))
SUB = values_of_file(read("charts/s/values.yaml", b"x: 1\n"), ("s",))


def test_the_last_file_has_the_last_word():
    values = ChartValues([SUB, DEFAULTS, PROD])
    assert values.merged == {"s": {"x": 1}, "a": {"b": 1, "c": 3}, "list": [1, 2]}
    places = {pointer: values.spot(pointer) for pointer in (("a", "b"), ("a", "c"), ("s", "x"))}
    assert {pointer: (spot.path, spot.span.line) for pointer, spot in places.items() if spot is not None} == {
        ("a", "b"): ("values.yaml", 1),
        ("a", "c"): ("prod.yaml", 2),
        ("s", "x"): ("charts/s/values.yaml", 1),
    }
    assert values.spot(("none",)) is None


def test_a_value_of_a_flag_has_no_place():
    values = ChartValues([DEFAULTS, ValuesPart("", {"new": {"key": 5}}, flag="--set new.key")])
    assert values.merged["new"] == {"key": 5}
    assert values.spot(("new", "key")) is None
    assert values.present(("new", "key"))


def test_a_value_is_listed_with_all_below_it():
    values = ChartValues([DEFAULTS])
    assert list(values.below(("a",))) == [(("a",), {"b": 1, "c": 2}), (("a", "b"), 1), (("a", "c"), 2)]
    assert [one for one, _ in values.below(("list",))] == [("list",), ("list", 0), ("list", 1)]


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        (("a", "b"), {"a": {"b": 9, "c": 2}}),
        (("list", 1), {"list": [1, 9]}),
        (("objects", 0, "x"), {"objects": [{"x": 9, "y": 2}]}),
        (("new", "deep"), {"new": {"deep": 9}}),
    ],
)
def test_an_overlay_sets_one_value(pointer, expected):
    base = {"a": {"b": 1, "c": 2}, "list": [1, 2], "objects": [{"x": 1, "y": 2}]}
    assert overlay(base, pointer, 9) == expected


OBJECT = """\
spec:
  values: |
    a: {b: 1}
  object: {a: {b: 2}}
  parameters: [{name: a.b, value: "3"}, {name: a.c, value: "4", forceString: true}, {name: "a[0]", value: x}]
"""


@pytest.mark.parametrize(
    ("form", "key", "expected", "line"),
    [
        ("text", "values", {"a": {"b": 1}}, 3),
        ("mapping", "object", {"a": {"b": 2}}, 4),
        ("parameters", "parameters", {"a": {"b": 3, "c": "4"}}, 5),
    ],
)
def test_an_object_holds_values_in_three_forms(form, key, expected, line):
    part = values_of_object(read("app.yaml", OBJECT.encode()), GivenValues("app.yaml", form, 0, ("spec", key)))
    values = ChartValues([DEFAULTS, part])
    spot = values.spot(("a", "b"))
    assert part.value == expected
    assert spot is not None
    assert (spot.path, spot.span.line) == ("app.yaml", line)


@pytest.mark.parametrize(
    "text", ["", "spec: 1", "spec: {values: [", "spec: {values: '- a', object: 1, parameters: {}}"]
)
@pytest.mark.parametrize(("form", "key"), [("text", "values"), ("mapping", "object"), ("parameters", "parameters")])
def test_an_object_that_holds_no_values_gives_none(text, form, key):
    assert values_of_object(read("a", text.encode()), GivenValues("a", form, 0, ("spec", key))).value == {}


def test_a_text_of_yaml_holds_values():
    values = ChartValues([values_of_file(read("values.yaml", b"a: |\n  b:\n  - c: 1\nd: |\n  x\ne: 'f: 1'\n"))])
    assert next(values.in_texts((), ("spec", "b", 0, "c"), 1)) == ("a", "b", 0, "c")
    assert not list(values.in_texts(("e",), ("f",), 1))
    assert values.value(("a", "b", 0, "c")) == 1
    assert values.present(("a", "b", 0, "c"))
    assert not values.present(("a", "b", 1))
    spot = values.spot(("a", "b", 0, "c"))
    assert (spot.path, spot.span.line, spot.span.column) == ("values.yaml", 3, 8)
    assert read("", overlay(values.merged, ("a", "b", 0, "c"), 2)["a"].encode()).documents[0].value == {"b": [{"c": 2}]}
    assert overlay(values.merged, ("d", "b"), 2) == {"d": {"b": 2}}
    assert overlay({"a": [{"b": "c: 1\nd: 2\n", "e": 1}]}, ("a", 0, "b", "c"), 3) == {
        "a": [{"b": "c: 3\nd: 2", "e": 1}]
    }
