"""Entries of maps and items of lists, there or not."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.cel.cel_errors import EvaluationError
from kubelint_gpu.kube.cel.cel_values import NONE, Optional
from kubelint_gpu.kube.cel.evaluation import at, has, optional_field


def test_items_of_a_list_are_found_by_whole_numbers_within_it():
    assert at(["a", "b"], 1) == "b"
    assert at(["a", "b"], 1.0) == "b"


@pytest.mark.parametrize(
    ("value", "key", "text"),
    [
        (["a"], 1, "index out of bounds: 1"),
        (["a"], -1, "index out of bounds: -1"),
        (["a"], 0.5, "unsupported index type 'double' in list"),
        (["a"], True, "unsupported index type 'bool' in list"),
        ("text", "x", "no such key: x"),
        ("text", True, "no such key: true"),
        (["a"], None, "invalid qualifier type"),
    ],
)
def test_what_is_not_there_is_an_error_as_of_cel(value, key, text):
    with pytest.raises(EvaluationError, match=text):
        at(value, key)


def test_an_optional_item_that_is_not_there_is_nothing():
    assert optional_field(Optional(True, ["a"]), 0) == Optional(True, "a")
    assert optional_field(Optional(True, ["a"]), 5) is NONE
    assert optional_field(NONE, 0) is NONE


def test_only_a_map_has_fields():
    assert not has("text", "x")
    assert not has(["x"], "x")
    assert not has(NONE, "x")
