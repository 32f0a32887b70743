"""Values as YAML gives them, read without trust in their types."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.values.plain import (
    amount,
    at,
    containers,
    differences,
    mapping,
    sequence,
    shortened,
    whole,
    written,
)


def test_a_path_ends_where_there_is_no_mapping():
    value = {"spec": {"template": {"x": 1}, "list": [{"x": 1}]}}
    assert at(value, ("spec", "template", "x")) == 1
    assert at(value, ("spec", "none", "x")) is None
    assert at(value, ("spec", "list", "x")) is None
    assert at(None, ("spec",)) is None
    assert at(value, ()) is value


@pytest.mark.parametrize(("value", "number"), [(3, 3), (3.0, 3), (3.5, None), (True, None), ("3", None), (None, None)])
def test_whole_numbers_are_integers_and_floats_without_a_fraction(value, number):
    assert whole(value) == number


@pytest.mark.parametrize(("value", "found"), [("1", 1000), ("500m", 500), (2, 2000), ("1Ki", 1024000), ("many", None)])
def test_an_amount_is_in_thousandths(value, found):
    assert amount(value) == found


def test_what_has_another_type_is_empty():
    assert (mapping([1]), sequence({"a": 1}), written(1)) == ({}, [], "")
    assert (mapping({"a": 1}), sequence([1]), written("text")) == ({"a": 1}, [1], "text")


def test_a_long_text_is_shortened_to_forty_characters():
    assert shortened("x" * 40) == "x" * 40
    assert shortened("x" * 41) == "x" * 37 + "..."


def test_init_containers_come_after_containers_and_what_is_none_is_left_out():
    spec = {"initContainers": [{"name": "i"}], "containers": [{"name": "a"}, 3, {"name": "b"}]}
    assert [(pointer, one["name"]) for pointer, one in containers(spec, ("spec",))] == [
        (("spec", "containers", 0), "a"),
        (("spec", "containers", 2), "b"),
        (("spec", "initContainers", 0), "i"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1, "b": 2}, {"a": 3, "c": 4}, [("a",), ("c",), ("b",)]),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3, 4]}}, [("a", "b", 1), ("a", "b", 2)]),
        ([1, 2, 3], [1, 2], [()]),
        ({"a": []}, {"a": {}}, [("a",)]),
        (1, True, [()]),
        (1, 1.0, []),
        (None, 0, [()]),
    ],
)
def test_each_difference_is_at_the_deepest_place_that_has_it(old, new, found):
    assert list(differences(old, new)) == found


def test_what_only_the_cluster_has_is_no_difference():
    assert list(differences({"a": 1, "added": 2}, {"a": 1}, live=True)) == []
    assert list(differences({"l": [1, 2]}, {"l": [1]}, live=True)) == []
    assert list(differences({"a": 1}, {"a": 2}, live=True)) == [("a",)]


def test_the_places_begin_where_the_values_stand():
    assert list(differences([1], [2], ("spec", "args"))) == [("spec", "args", 0)]
