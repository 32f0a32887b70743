"""The smallest parts in which two versions of a value differ."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.values.differences import differences


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
