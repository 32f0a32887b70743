"""What a pod asks for, and what it holds."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.kube.objects.requests import is_extended, is_scheduled, pod_requests, running_requests


def spec(containers=(), init=(), **more):
    def made(amounts):
        always = {"restartPolicy": "Always"} if isinstance(amounts, tuple) else {}
        amounts = amounts[0] if isinstance(amounts, tuple) else amounts
        key = "limits" if isinstance(amounts, dict) and "limits" in amounts else "requests"
        found = amounts.get(key, amounts) if isinstance(amounts, dict) else {"cpu": str(amounts)}
        return {"name": "c", "resources": {key: found}, **always}

    value = {"containers": [made(one) for one in containers], "initContainers": [made(one) for one in init], **more}
    return read_pod({"metadata": {"name": "p"}, "spec": value}).spec


@pytest.mark.parametrize(
    ("given", "cpu"),
    [
        (spec([1, 1.5], [2]), 2500),
        (spec([1], [(1,), 2]), 3000),
        (spec([1], [2, (1,)]), 2000),
        (spec([0.1], [(1,), (2,), 4, 5]), 8000),
        (spec([{"limits": {"cpu": "500m"}}]), 500),
        (spec([1], overhead={"cpu": "250m"}), 1250),
        (spec([1], resources={"requests": {"cpu": "3"}}, overhead={"cpu": "250m"}), 3250),
        (spec([1], resources={"limits": {"cpu": "4"}}), 1000),
        (spec([{"memory": "1Gi"}], resources={"limits": {"cpu": "4"}}), 4000),
        (spec([1], resources={"requests": {"nvidia.com/gpu": "3"}}), 1000),
    ],
)
def test_what_a_pod_asks_for(given, cpu):
    assert pod_requests(given)["cpu"] == cpu


def test_memory_comes_from_containers_where_the_pod_level_says_nothing_of_it():
    found = pod_requests(
        spec([{"cpu": "1", "memory": "500m"}, {"memory": "500m"}], resources={"requests": {"cpu": "3"}})
    )
    assert found == {"cpu": 3000, "memory": 1}
    before = spec([1], resources={"requests": {"cpu": "3", "hugepages-2Mi": "2Mi"}})
    assert pod_requests(before, pod_level=False) == {"cpu": 1000}
    assert pod_requests(before) == {"cpu": 3000, "hugepages-2Mi": 2**21}


@pytest.mark.parametrize(
    ("resource", "scheduled", "extended"),
    [
        ("cpu", True, False),
        ("storage", False, False),
        ("gpu", False, False),
        ("nvidia.com/gpu", True, True),
        ("requests.nvidia.com/gpu", False, False),
        ("hugepages-1Gi", True, False),
        ("pods.kubernetes.io/x", True, False),
        ("attachable-volumes-csi-x", True, False),
        ("a//b", False, False),
    ],
)
def test_which_resources_the_scheduler_counts(resource, scheduled, extended):
    assert (is_scheduled(resource), is_extended(resource)) == (scheduled, extended)


def resized(status, conditions=()):
    return read_pod(
        {
            "metadata": {"name": "p"},
            "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]},
            "status": {"containerStatuses": [{"name": "c", **status}], "conditions": list(conditions)},
        }
    )


INFEASIBLE = {"type": "PodResizePending", "status": "True", "reason": "Infeasible"}


@pytest.mark.parametrize(
    ("pod", "cpu"),
    [
        (resized({"allocatedResources": {"cpu": "2"}, "resources": {"requests": {"cpu": "3"}}}), 3000),
        (resized({"allocatedResources": {"cpu": "500m"}}), 1000),
        (resized({"allocatedResources": {"cpu": "500m"}}, [INFEASIBLE]), 500),
        (resized({}), 1000),
    ],
)
def test_a_pod_that_is_resized_in_place_holds_the_largest_of_all(pod, cpu):
    assert running_requests(pod)["cpu"] == cpu
    assert running_requests(pod, in_place=False)["cpu"] == 1000


def test_a_container_without_status_holds_what_it_asks_for():
    pod = resized({"name": "other", "allocatedResources": {"cpu": "9"}})
    assert running_requests(pod) == {"cpu": 1000, "memory": 2**30}
