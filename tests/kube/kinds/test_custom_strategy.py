"""The strategies of custom resources: how many new pods come before old ones go."""

from __future__ import annotations

import pytest
from change_cases import inventory, made
from checks_units import findings
from custom_objects import TEMPLATE, custom

from kubelint_gpu.kube.kinds.custom_strategy import canary_targets
from kubelint_gpu.kube.kinds.custom_workload import custom_workloads
from kubelint_gpu.simulation.controllers.controller_of import controller_of


def replaced(version, kind, spec):
    """For each template with a rollout: its replicas, how many more it makes, may miss, and needs places for."""
    found = [(one, controller_of(one)) for one in custom(version, kind, spec)]
    return [
        (one.replicas, by.surge(one.replicas), by.unavailable(one.replicas), by.places_needed(one.replicas))
        for one, by in found
        if by.rolls
    ]


def groups(replicas=3, **rolling):
    inner = {"size": 3, "leaderTemplate": TEMPLATE, "workerTemplate": TEMPLATE}
    strategy = {"rolloutStrategy": {"rollingUpdateConfiguration": rolling}} if rolling else {}
    return replaced(
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        {"replicas": replicas, "leaderWorkerTemplate": inner, **strategy},
    )


@pytest.mark.parametrize(
    ("rolling", "expected"),
    [
        ({}, [(3, 0, 1, 3), (6, 0, 2, 6)]),
        ({"maxUnavailable": 2}, [(3, 0, 2, 3), (6, 0, 4, 6)]),
        ({"maxSurge": 1, "maxUnavailable": 0}, [(3, 1, 0, 4), (6, 2, 0, 8)]),
        ({"maxSurge": 2, "maxUnavailable": 0}, [(3, 1, 0, 4), (6, 2, 0, 8)]),
        ({"maxSurge": 1, "maxUnavailable": 1}, [(3, 0, 1, 3), (6, 0, 2, 6)]),
    ],
)
def test_a_leader_worker_set_replaces_whole_groups(rolling, expected):
    assert groups(**rolling) == expected


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ({"blueGreen": {"activeService": "a"}}, [(3, 3, 0, 6)]),
        ({"canary": {"trafficRouting": {"nginx": {}}}}, [(3, 3, 0, 6)]),
        ({"canary": {"trafficRouting": {"nginx": {}}, "dynamicStableScale": True}}, []),
        ({"canary": {"maxSurge": 1, "maxUnavailable": 0}}, [(3, 1, 0, 4)]),
    ],
)
def test_a_rollout_is_replaced_as_its_strategy_says(strategy, expected):
    spec = {"replicas": 3, "template": TEMPLATE, "strategy": strategy}
    assert replaced("argoproj.io/v1alpha1", "Rollout", spec) == expected


def test_a_ray_service_makes_a_second_cluster_of_all_its_templates():
    spec = {
        "rayClusterConfig": {
            "headGroupSpec": {"template": TEMPLATE},
            "workerGroupSpecs": [{"replicas": 2, "template": TEMPLATE}],
        }
    }
    assert replaced("ray.io/v1", "RayService", spec) == [(1, 1, 0, 2), (2, 2, 0, 4)]
    assert replaced("ray.io/v1", "RayService", spec | {"upgradeStrategy": {"type": "None"}}) == []
    head, workers = custom("ray.io/v1", "RayService", spec)
    assert controller_of(head).waits_for == controller_of(workers).waits_for == "RayService/ml/it"
    assert (head.key, workers.key) == ("RayService/ml/it (head)", "RayService/ml/it (template 2)")


def test_what_an_operator_or_an_autoscaler_decides_is_approximate():
    inner = {"headGroupSpec": {"template": TEMPLATE}, "workerGroupSpecs": []}
    for more, expected in (({}, False), ({"enableInTreeAutoscaling": True}, True)):
        [head] = custom("ray.io/v1", "RayCluster", inner | more)
        assert head.approximate is expected
    [model] = custom("apps.nvidia.com/v1alpha1", "NIMService", {"resources": {"limits": {"nvidia.com/gpu": 1}}})
    assert model.approximate
    assert [one.replicas for one in custom("ray.io/v1", "RayCluster", inner | {"suspend": True})] == [0]


def test_kserve_makes_all_workers_of_several_nodes_beside_the_old_ones():
    worker = {"pipelineParallelSize": 4, "containers": [{"name": "w", "image": "b"}]}
    written = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    predictor = {"model": {"resources": {}}, "workerSpec": worker, "deploymentStrategy": written}
    value = {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "spec": {"predictor": predictor}}
    made = [one for one, _ in custom_workloads(value) if one.spec_key == "workerSpec"]
    assert [(one.replicas, one.strategy.max_surge.of(3, round_up=True)) for one in made] == [(3, 3)]
    assert made[0].strategy.max_unavailable.of(3, round_up=False) == 0
    del worker["pipelineParallelSize"]
    predictor["deploymentStrategy"] = {"type": "Recreate"}
    made = [one for one, _ in custom_workloads(value) if one.spec_key == "workerSpec"]
    assert [(one.replicas, one.strategy.recreate) for one in made] == [(1, True)]


CANARY = """\
---
apiVersion: flagger.app/v1beta1
kind: Canary
metadata: {name: web, namespace: serving}
spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: d}}
"""


@pytest.mark.parametrize(
    ("value", "targets"),
    [
        (
            {"metadata": {"namespace": "a"}, "spec": {"targetRef": {"kind": "Deployment", "name": "b"}}},
            {"Deployment/a/b"},
        ),
        ({"spec": {"targetRef": {"kind": "Deployment", "name": "b"}}}, {"Deployment/default/b"}),
        ({"spec": None, "metadata": []}, {"None/default/None"}),
    ],
)
def test_a_canary_names_its_target(value, targets):
    canary = {"apiVersion": "flagger.app/v1beta1", "kind": "Canary", **value}
    assert canary_targets([canary, {**canary, "apiVersion": "other.app/v1"}]) == targets


def test_a_deployment_with_a_canary_needs_room_for_all_of_its_pods_twice():
    """Its own strategy would need no further pod."""
    text = made("d", "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n", replicas=2).removeprefix("---\n")
    assert findings(text, inventory(3), "KLG101") == []
    (one,) = findings(text + CANARY, inventory(3), "KLG101")
    assert (one.severity, one.certainty) == ("warning", "possible")
    assert findings(text + CANARY, inventory(4), "KLG101") == []
    assert findings(text + CANARY.replace("name: d", "name: e"), inventory(3), "KLG101") == []
