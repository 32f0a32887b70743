"""Resources of containers that the API server refuses."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.kube.validation.resource_validation import resource_problems, sum_problems
from kubelint_gpu.kube.values.errors import field_path


def told(problems):
    return {field_path(problem.pointer): problem.detail for problem in problems if not problem.placeholder}


def container(**resources):
    return {"containers": [{"name": "c", "resources": resources}]}


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        (container(limits={"hugepages-2Mi": "3Mi", "cpu": 1}), "containers[0].resources.limits.hugepages-2Mi"),
        (container(requests={"hugepages-2Mi": "4Mi", "cpu": 1}), "containers[0].resources.requests.hugepages-2Mi"),
        (container(limits={"hugepages-2Mi": "4Mi"}), "containers[0].resources"),
        (container(claims=[{"name": "gpu"}]), "containers[0].resources.claims[0]"),
        ({"resourceClaims": [{"name": "gpu"}]}, "resourceClaims[0]"),
        ({"resourceClaims": [{"name": "gpu", "source": {"resourceClaimName": "a"}}]}, None),
        ({"resources": {"limits": {"nvidia.com/gpu": 1}}}, "resources.limits[nvidia.com/gpu]"),
        ({"resources": {"limits": {"cpu": 1}, "requests": {"cpu": 2}}}, "resources.requests.cpu"),
    ],
)
def test_resources_are_refused_at_their_field(spec, path):
    assert list(told(resource_problems(spec, ()))) == ([path] if path else [])


def test_a_request_of_the_whole_pod_covers_those_of_its_containers():
    value = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"resources": {"requests": {"cpu": 1}}, "containers": [{"resources": {"requests": {"cpu": 2}}}]},
    }
    assert list(told(sum_problems(read_workload(value).spec, ("spec",)))) == ["spec.resources.requests.cpu"]
    value["spec"]["resources"]["requests"]["cpu"] = 2
    assert told(sum_problems(read_workload(value).spec, ("spec",))) == {}


@pytest.mark.parametrize(
    ("part", "paths"), [("containers", ["containers[0].resources.limits.cpu"]), ("initContainers", [])]
)
def test_a_limit_of_the_whole_pod_is_the_most_for_each_container_but_not_for_those_before_them(part, paths):
    above = {"resources": {"limits": {"cpu": 6}, "requests": {"cpu": 1}}}
    pod = {"resources": {"limits": {"cpu": 4}}, "containers": [{}], part: [above]}
    value = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": pod}
    found = told(sum_problems(read_workload(value).spec, ()))
    assert list(found) == paths
