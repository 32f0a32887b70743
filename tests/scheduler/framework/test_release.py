"""What one release of the scheduler does and says unlike another."""

from __future__ import annotations

import pytest

from kubelint_gpu.scheduler.framework.release import NEWEST, behaviour, minor_of


@pytest.mark.parametrize(
    ("version", "minor"),
    [("1.34", 34), ("v1.34.1", 34), (" v1.33.5-eks-1a2b ", 33), ("2.1", None), ("1", None), ("1.x", None), ("", None)],
)
def test_the_minor_release_of_a_version(version, minor):
    assert minor_of(version) == minor


def test_without_a_version_the_newest_recorded_release_counts():
    assert behaviour(None) == behaviour(NEWEST)
    assert behaviour(None).version == NEWEST


def test_releases_beyond_the_table_behave_as_its_ends():
    assert behaviour("1.20").version == "1.29"
    assert behaviour("1.99") == behaviour("1.98")


def test_what_came_with_a_release_stays_in_the_next():
    assert [behaviour(f"1.{minor}").dynamic_resources for minor in (33, 34, 36)] == [False, True, True]
    assert [behaviour(f"1.{minor}").names_taint for minor in (34, 35, 36)] == [True, False, False]
    assert behaviour("1.32").volume_affinity == "node(s) had volume node affinity conflict"
    assert behaviour("1.36").volume_affinity == "node(s) didn't match PersistentVolume's node affinity"


def test_what_is_no_version_is_refused_with_an_example():
    with pytest.raises(ValueError, match=r'"newest" is no version of Kubernetes such as 1\.34'):
        behaviour("newest")
