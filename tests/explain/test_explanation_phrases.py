"""Phrases of `explain`: how many names are told, and what is free."""

from __future__ import annotations

from kubelint_gpu.explain.explanation_phrases import devices_text, names_text, some_names, victims_text
from kubelint_gpu.scheduler.explain.explained_class import Extent


def test_of_many_names_the_first_are_told():
    names = ["a", "b", "c", "d", "e", "f"]
    assert names_text(names[:4]) == "a, b, c, d"
    assert names_text(names) == "a, b, c and 3 more"
    assert victims_text(names[:2]) == "a and b"
    assert victims_text(names) == "a, b, c, d and 2 more"
    assert some_names(names[:4]) == "a, b, c and 1 other"


def test_free_devices_are_a_span_where_nodes_differ():
    assert devices_text(Extent(1, 1), Extent(8, 8)) == "1 of 8 devices"
    assert devices_text(Extent(0, 3), Extent(8, 8)) == "0 to 3 of 8 devices"
