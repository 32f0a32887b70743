"""Resources of containers that the API server refuses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.kube.gpu.resource_owners import GATES, SCHEDULERS, gate_owner
from kubelint_gpu.kube.objects.taints import Taint, is_lifecycle
from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.kube.validation.resource_validation import (
    NO_LIMIT,
    NOT_WHOLE,
    UNEQUAL,
    request_problems,
    resource_problems,
    sum_problems,
)
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


GPU = "nvidia.com/gpu"


def kinds(limits=None, requests=None, key="containers"):
    resources = {}
    if limits is not None:
        resources["limits"] = limits
    if requests is not None:
        resources["requests"] = requests
    return [problem.kind for problem in request_problems({key: [{"resources": resources}]})]


@pytest.mark.parametrize(
    ("limits", "requests", "expected"),
    [
        ({GPU: 1}, None, []),
        ({GPU: "1"}, {GPU: 1}, []),
        ({GPU: "1k"}, {GPU: 1000}, []),
        ({GPU: "1000m"}, None, []),
        ({GPU: 1.0}, None, []),
        ({GPU: 0}, {GPU: 0}, []),
        ({GPU: 0.5}, None, [NOT_WHOLE]),
        ({GPU: "500m"}, {GPU: "500m"}, [NOT_WHOLE, NOT_WHOLE]),
        ({GPU: "100u"}, None, [NOT_WHOLE]),
        (None, {GPU: 1}, [NO_LIMIT]),
        ({"memory": "1Gi"}, {GPU: 1}, [NO_LIMIT]),
        ({GPU: None}, {GPU: 1}, [NO_LIMIT]),
        ({GPU: 2}, {GPU: 1}, [UNEQUAL]),
        ({"cpu": 2}, {"cpu": "500m"}, []),
        ({"memory": "1Gi"}, {"memory": "2Gi"}, []),
        ({"gpu": 1}, {"gpu": 1}, []),
        ({"nvidia-gpu": 1}, None, []),
        ({"requests.nvidia.com/gpu": 1}, None, []),
        ({"nvidia.com/mig-1g.5gb+me": 1}, None, []),
        ({"alpha.kubernetes.io/nvidia-gpu": 1}, None, []),
        ({"hugepages-2Mi": "1Gi"}, None, []),
        ({GPU: "${GPUS}"}, {GPU: "${GPUS}"}, []),
        ({GPU: "one"}, None, []),
        ({"metax-tech.com/vmemory": "2048Mi"}, None, []),
    ],
)
@pytest.mark.parametrize("key", ["containers", "initContainers"])
def test_what_the_api_server_refuses(limits, requests, expected, key):
    assert kinds(limits, requests, key) == expected


@pytest.mark.parametrize("spec", [None, [], {"containers": None}, {"containers": [None, {"resources": []}]}])
def test_what_is_no_pod_spec_has_no_problem(spec):
    assert list(request_problems(spec)) == []


@given(
    st.dictionaries(st.sampled_from(["limits", "requests"]), st.integers(0, 4000).map(lambda n: f"{n}m"), min_size=1)
)
def test_accepted_amounts_are_whole_and_equal(amounts):
    problems = kinds(*({GPU: amounts[part]} if part in amounts else None for part in ("limits", "requests")))
    values = {part: int(text[:-1]) for part, text in amounts.items()}
    whole = all(value % 1000 == 0 for value in values.values())
    lawful = whole and "limits" in values and values.get("requests", values["limits"]) == values["limits"]
    assert (problems == []) == lawful


def test_gates_of_known_projects_have_an_owner():
    assert all(gate_owner(gate) for gate in GATES)
    assert gate_owner("batch.kueue.x-k8s.io/new")
    assert gate_owner("example.com/data-ready") == gate_owner("ready") == gate_owner("kueue.x-k8s.io") == ""


def test_the_default_scheduler_is_nobodys():
    assert "default-scheduler" not in SCHEDULERS


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("node.kubernetes.io/not-ready", True),
        ("karpenter.sh/disrupted", True),
        ("ToBeDeletedByClusterAutoscaler", True),
        ("nvidia.com/gpu", False),
        ("node-role.kubernetes.io/control-plane", False),
        ("cloud.google.com/gke-spot", False),
    ],
)
def test_taints_of_a_nodes_life(key, expected):
    assert is_lifecycle(Taint(key)) == expected
