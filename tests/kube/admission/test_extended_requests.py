"""Amounts of extended resources as the API server takes or refuses them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.kube.admission.extended_requests import NO_LIMIT, NOT_WHOLE, UNEQUAL, request_problems
from kubelint_gpu.kube.admission.neighbours import GATES, SCHEDULERS, gate_owner
from kubelint_gpu.kube.objects.taints import Taint, is_lifecycle

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
