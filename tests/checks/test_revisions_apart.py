"""What Argo Rollouts adds to the pods of a new revision."""

from __future__ import annotations

import pytest
from checks_units import GPU_NODE, deployment, findings

TWO_NODES = (GPU_NODE % 1).replace(
    "priorityClasses:",
    "  - {name: gpu-2, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 1}}\npriorityClasses:",
)


def rollout(strategy):
    return (
        deployment(spec=f"replicas: 1\nstrategy: {{{strategy}}}")
        .replace("apps/v1", "argoproj.io/v1alpha1")
        .replace("kind: Deployment", "kind: Rollout")
    )


@pytest.mark.parametrize("way", ["blueGreen: {%s}", "canary: {maxSurge: 1, maxUnavailable: 0, %s}"])
@pytest.mark.parametrize(
    ("apart", "told"),
    [
        ("antiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}", ["KLG103"]),
        ("antiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: {weight: 1}}", []),
    ],
)
def test_a_rollout_keeps_new_pods_from_the_nodes_of_stable_ones_where_its_strategy_says_so(way, apart, told):
    found = findings(rollout(way % apart), GPU_NODE % 2)
    assert [one.code for one in found if one.severity == "error"] == told
    assert sum("Argo Rollouts keeps" in label.message for one in found for label in one.related) == len(told)
    assert not findings(rollout(way % apart), TWO_NODES)


def test_a_canary_that_lets_an_old_pod_go_first_ends():
    apart = "antiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}"
    assert not findings(rollout(f"canary: {{maxSurge: 0, maxUnavailable: 1, {apart}}}"), GPU_NODE % 1)
