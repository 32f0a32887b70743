"""The table of the fields of Kubernetes' own objects."""

from __future__ import annotations

from kubelint_gpu.kube.validation.api_table import known, table


def test_the_table_covers_the_releases_that_are_in_use():
    assert table().first <= 25
    assert table().last >= 37


def test_known_gives_the_newest_type_without_a_release():
    entry = table().fields("core.v1.PodSpec")["resources"]
    assert known(entry, None) == "@core.v1.ResourceRequirements"
    assert known(entry, 25) == ""
    assert known((), None) == ""
