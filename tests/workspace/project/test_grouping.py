"""What is applied together: each file by itself, but for the units of the configuration."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.grouping import Grouping, path_of, sources_of
from kubelint_gpu.workspace.project.kustomizations import BuiltKustomizations
from kubelint_gpu.workspace.project.worlds import Worlds

READINGS = tuple(read(f"{name}.yaml", f"kind: {name}\n".encode()) for name in "abc")


@pytest.mark.parametrize(
    ("units", "together", "groups"),
    [
        ({}, False, [["a.yaml"], ["b.yaml"], ["c.yaml"]]),
        ({"one": ("a.yaml", "b.yaml")}, False, [["a.yaml", "b.yaml"], ["c.yaml"]]),
        ({}, True, [["a.yaml", "b.yaml", "c.yaml"]]),
    ],
)
def test_files_are_grouped_into_units(units, together, groups):
    grouping = Grouping(Configuration(units=units), Worlds(), (), together=together)
    found = tuple(grouping.units(READINGS, None, BuiltKustomizations(), ()))
    assert [[path_of(one) for one in unit.readings] for unit in found] == groups
    assert sources_of(found) == READINGS
