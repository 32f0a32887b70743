"""The keys by which a strategic merge patch tells elements of a list apart."""

from __future__ import annotations

import pytest

from kubelint_gpu.sources.kustomize.accumulation.list_keys import element_of, merge_key

POD = ("spec", "template", "spec")


@pytest.mark.parametrize(
    ("version", "kind", "where", "key"),
    [
        ("apps/v1", "Deployment", (*POD, "containers"), "name"),
        ("apps/v1", "Deployment", (*POD, "containers", 0, "ports"), "containerPort"),
        ("v1", "Service", ("spec", "ports"), "port"),
        ("apps/v1", "Deployment", (*POD, "containers", 0, "volumeMounts"), "mountPath"),
        ("apps/v1", "Deployment", (*POD, "containers", 0, "resources", "claims"), "name"),
        ("apps/v1", "Deployment", (*POD, "containers", 0, "args"), None),
        ("apps/v1", "Deployment", (*POD, "tolerations"), None),
        ("resource.k8s.io/v1", "ResourceClaim", ("spec", "claims"), None),
        ("ray.io/v1", "RayCluster", (*POD, "containers"), None),
        ("jobset.x-k8s.io/v1alpha2", "JobSet", (*POD, "containers"), None),
        ("v1", "Pod", (), None),
    ],
)
def test_lists_of_kubernetes_have_keys_and_those_of_custom_resources_none(version, kind, where, key):
    assert merge_key(version, kind, where) == key


def test_the_first_element_with_the_value_is_meant():
    elements = ["text", {"name": "a"}, {"name": "b"}, {"name": "b", "x": 1}]
    assert element_of(elements, "name", "b") == 2
    assert element_of(elements, "name", "c") is None
    assert element_of([{"other": None}], "name", None) is None
