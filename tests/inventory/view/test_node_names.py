"""Names of nodes in the order people expect, and folded."""

from __future__ import annotations

import pytest

from kubelint_gpu.inventory.view.node_rows import abbreviated, natural


def test_numbers_in_names_count_as_numbers():
    names = ["gpu-10", "gpu-2", "gpu", "gpu-02", "a-1-10", "a-1-9"]
    assert sorted(names, key=natural) == ["a-1-9", "a-1-10", "gpu", "gpu-02", "gpu-2", "gpu-10"]
    assert len({natural(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["gpu-1", "gpu-2", "gpu-3", "gpu-7"], ("gpu-[1-3,7]",)),
        (["gpu-7"], ("gpu-7",)),
        (["gpu-01", "gpu-02"], ("gpu-[01-02]",)),
        (["gpu-01", "gpu-2"], ("gpu-01", "gpu-2")),
        (["n1.example.com", "n2.example.com"], ("n[1-2].example.com",)),
        (["head", "n1"], ("head", "n1")),
        ([f"n{number}" for number in range(1, 14, 2)], ("n[1,3,5,7,...,13]",)),
        ([], ()),
    ],
)
def test_names_with_equal_beginnings_and_ends_are_folded(names, found):
    assert abbreviated(names) == found
    assert abbreviated(reversed(names)) == found
