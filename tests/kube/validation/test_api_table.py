"""The table of the fields of Kubernetes' own objects."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.validation.api_table import known, service, table


def test_the_table_covers_the_releases_that_are_in_use():
    assert table().first <= 25
    assert table().last >= 37


def test_known_gives_the_newest_type_without_a_release():
    entry = table().fields("core.v1.PodSpec")["resources"]
    assert known(entry, None) == "@core.v1.ResourceRequirements"
    assert known(entry, 25) == ""
    assert known((), None) == ""


@pytest.mark.parametrize(
    ("version", "kind", "minor", "gone", "successor", "same"),
    [
        ("extensions/v1beta1", "Deployment", 34, 16, "apps/v1", True),
        ("batch/v1beta1", "CronJob", 34, 25, "batch/v1", True),
        ("autoscaling/v2beta2", "HorizontalPodAutoscaler", 34, 26, "autoscaling/v2", True),
        ("flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema", 34, 32, "flowcontrol.apiserver.k8s.io/v1", False),
        ("resource.k8s.io/v1alpha2", "ResourceClaim", 33, 31, "resource.k8s.io/v1beta2", False),
        ("apps/v1", "Deployment", 34, 0, "", False),
    ],
)
def test_services_say_what_took_the_place_of_a_version(version, kind, minor, gone, successor, same):
    found = service({"apiVersion": version, "kind": kind}, minor)
    assert found is not None
    assert (found.gone, found.successor, found.same) == (gone, successor, same)


def test_a_version_that_comes_later_says_since_when():
    found = service({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"}, 33)
    assert found is not None
    assert (found.since, found.successor) == (34, "resource.k8s.io/v1beta2")
