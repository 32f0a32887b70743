"""Pod templates of kinds that nobody knows."""

from __future__ import annotations

import pytest
from custom_objects import custom

from kubelint_gpu.kube.kinds.by_shape import is_of_unknown_kind, templates

ASKS = {"limits": {"nvidia.com/gpu": "1"}}
SPEC = {"containers": [{"name": "main", "image": "x", "resources": ASKS}]}


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ({"components": {"podTemplate": {"spec": SPEC}}}, [(("spec", "components", "podTemplate"), "template")]),
        ({"template": {"metadata": {}, "spec": SPEC, "more": 1}}, [(("spec", "template"), "template")]),
        ({"worker": {"spec": SPEC}}, [(("spec", "worker"), "template")]),
        ({"worker": {"spec": SPEC, "replicas": 2}}, [(("spec", "worker", "spec"), "spec")]),
        ({"podSpec": SPEC}, [(("spec", "podSpec"), "spec")]),
        (
            {"trialTemplate": {"trialSpec": {"kind": "Job", "spec": {"template": {"spec": SPEC}}}}},
            [(("spec", "trialTemplate", "trialSpec", "spec", "template"), "template")],
        ),
        (
            {"pools": [{"podSpec": SPEC}, {"podSpec": SPEC}]},
            [(("spec", "pools", 0, "podSpec"), "spec"), (("spec", "pools", 1, "podSpec"), "spec")],
        ),
        ({"queryNode": {"resources": ASKS, "replicas": 2}}, [(("spec", "queryNode"), "inline")]),
        ({"resources": {"requests": {"nvidia.com/gpu": 1}}}, [(("spec",), "inline")]),
        ({"resources": {"limits": {"cpu": 1}}}, []),
        ({"resources": [ASKS]}, []),
        ({"containers": ["main"]}, []),
        ({"x": {"containers": []}}, []),
        ({"x": {"containers": [{"name": "main"}]}}, []),
        ({"x": {"containers": [{"image": "x"}]}}, []),
    ],
)
def test_templates_are_found_wherever_they_stand(spec, found):
    assert list(templates({"spec": spec})) == found


@pytest.mark.parametrize(
    ("api", "kind", "unknown"),
    [
        ("milvus.io/v1beta1", "Milvus", True),
        ("apps/v1", "Deployment", False),
        ("v1", "ConfigMap", False),
        ("kyverno.io/v1", "ClusterPolicy", False),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition", False),
    ],
)
def test_objects_of_kubernetes_and_policies_have_no_unknown_kind(api, kind, unknown):
    assert is_of_unknown_kind({"apiVersion": api, "kind": kind}) is unknown


def test_a_workload_of_an_unknown_kind_promises_no_pods():
    (found,) = custom("milvus.io/v1beta1", "Milvus", {"template": {"spec": SPEC}, "replicas": 3})
    assert (found.replicas, found.strategy, found.approximate, found.by_shape) == (0, None, True, True)


def test_what_describes_pods_for_others_is_left_to_them():
    value = {"kind": "ClusterServingRuntime", "spec": SPEC}
    assert list(templates(value)) == []
    assert list(templates({**value, "kind": "Engine"})) == [(("spec",), "spec")]


def test_values_of_git_ops_objects_are_no_pods():
    value = {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "spec": {"values": {"resources": ASKS}}}
    assert list(templates(value)) == []
    assert list(templates({**value, "apiVersion": "example.com/v1"})) == [(("spec", "values"), "inline")]


def test_a_kind_of_the_table_in_another_group_is_not_known():
    (found,) = custom("example.com/v1", "RayCluster", {"headGroupSpec": {"template": {"spec": SPEC}}})
    assert found.by_shape


def test_the_kinds_of_the_table_are_read_by_the_table():
    (found, *_) = custom("ray.io/v1", "RayCluster", {"headGroupSpec": {"template": {"spec": SPEC}}})
    assert not found.by_shape
