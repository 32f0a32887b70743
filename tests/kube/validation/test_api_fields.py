"""Fields and types of Kubernetes' own objects by release.

The table of the fields of Kubernetes' own objects.
"""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.validation.api_fields import homes, known, misfits, mismatch, service, table
from kubelint_gpu.kube.values.errors import field_path


def deployment(spec=None, container=None, **more):
    containers = [{"name": "main", "image": "image", **(container or {})}]
    template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": containers, **(spec or {})}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "a"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": template, **more},
    }


def unknown(value, minor=None):
    return [field_path(found.pointer) for found in misfits(value, minor) if not found.wanted]


def wrong(value, minor=None):
    return {field_path(found.pointer): mismatch(found) for found in misfits(value, minor) if found.wanted}


def test_a_lawful_object_has_no_misfits_in_any_release():
    found = table()
    for minor in range(found.first, found.last + 1):
        assert (
            list(misfits(deployment({"nodeSelector": {"a": "b"}, "tolerations": [{"operator": "Exists"}]}), minor))
            == []
        )


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        (deployment({"nodeSelecter": {}}), ["spec.template.spec.nodeSelecter"]),
        (deployment(container={"nodeSelector": {}}), ["spec.template.spec.containers[0].nodeSelector"]),
        (deployment(replica=1), ["spec.replica"]),
        ({**deployment(), "specs": {}}, ["specs"]),
        (deployment(**{"$patch": "replace"}), []),
        ({"apiVersion": "example.com/v1", "kind": "Deployment", "whatever": 1}, []),
        ({"apiVersion": "v1", "kind": "ConfigMap", "data": {"any.key": "x"}}, []),
    ],
)
def test_unknown_fields_are_found_with_their_path(value, paths):
    assert unknown(value) == paths


def test_a_field_is_known_from_the_release_that_brings_it():
    value = deployment({"resources": {}})
    assert unknown(value, 31) == ["spec.template.spec.resources"]
    assert unknown(value, 32) == []
    (found,) = misfits(value, 31)
    assert found.since == 32


def test_a_release_beyond_the_table_is_taken_for_the_nearest():
    assert unknown(deployment({"resources": {}}), 99) == []
    assert unknown(deployment({"resources": {}}), 3) == ["spec.template.spec.resources"]


@pytest.mark.parametrize(
    ("value", "path", "says"),
    [
        (deployment(replicas="3"), "spec.replicas", 'must be an integer, not the string "3"'),
        (deployment(replicas=True), "spec.replicas", "must be an integer, not the boolean true"),
        (deployment(replicas=3.5), "spec.replicas", "must be an integer, not the number 3.5"),
        (deployment(paused="yes"), "spec.paused", 'must be true or false, not the string "yes"'),
        (deployment(template=[]), "spec.template", "must be a mapping, not a list"),
        (deployment({"tolerations": {}}), "spec.template.spec.tolerations", "must be a list, not a mapping"),
        (
            deployment(container={"image": 1}),
            "spec.template.spec.containers[0].image",
            "must be a string, not the number 1; quote it",
        ),
        (
            deployment({"nodeSelector": {"a": 1}}),
            "spec.template.spec.nodeSelector.a",
            "must be a string, not the number 1; quote it",
        ),
    ],
)
def test_wrong_types_are_told_with_what_is_wanted(value, path, says):
    assert wrong(value) == {path: says}


@pytest.mark.parametrize(
    "value",
    [
        deployment(replicas=3.0),
        deployment(replicas=None),
        deployment(strategy={"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}}),
        deployment(container={"resources": {"limits": {"cpu": 1.5, "memory": "1Gi", "nvidia.com/gpu": 1}}}),
        deployment(metadata={"annotations": None}) | {"metadata": {"creationTimestamp": None}},
    ],
)
def test_what_the_api_server_accepts_is_no_misfit(value):
    assert wrong(value) == {}


def test_a_field_under_the_container_belongs_to_the_pod():
    (found,) = misfits(deployment(container={"tolerations": []}), None)
    assert field_path(homes(found, None)[0]) == "spec.template.spec"


def test_a_field_beside_the_template_belongs_into_it():
    (found,) = misfits(deployment(tolerations=[]), None)
    assert field_path(homes(found, None)[0]) == "spec.template.spec"


def test_a_document_that_nests_without_end_is_walked_to_a_depth():
    value: dict = {}
    for _ in range(5000):
        value = {"items": value}
    crd = {"apiVersion": "v1", "kind": "Pod", "spec": {"volumes": [{"name": "a", "csi": value}]}}
    assert unknown(crd) == ["spec.volumes[0].csi.items"]


@pytest.mark.parametrize(
    "value", [{"apiVersion": "ray.io/v1", "kind": "RayJob"}, {"kind": "Pod"}, {"apiVersion": 1, "kind": "Pod"}]
)
def test_kinds_of_others_are_not_known(value):
    assert service(value, 34) is None


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
