"""Replicas that a HorizontalPodAutoscaler sets at once, whatever the load: within its bounds, and not those that are written."""

from __future__ import annotations

import pytest
from autoscaler_objects import hpa
from change_cases import found, inventory, made
from checks_units import GPU_NODE, deployment, findings

GIVES = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"
KEEPS = "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n"


def test_the_least_replicas_that_do_not_all_run_are_told_at_the_autoscalers_line():
    (one,) = findings(hpa(3, 5) + deployment(), GPU_NODE % 2)
    assert (one.code, one.severity, one.place.line) == ("KLG109", "error", 5)
    assert one.message.startswith(
        "only 2 of the 3 replicas that HorizontalPodAutoscaler scaler sets at least can run: 0 of "
    )


def test_at_the_least_replicas_the_rollout_never_ends():
    other, one = sorted(findings(hpa(3, 5) + deployment(), GPU_NODE % 3), key=lambda one: one.code)
    assert (one.code, other.code) == ("KLG115", "KLG101")
    assert other.severity == "error"
    assert other.message.startswith(
        "at 3 replicas, which HorizontalPodAutoscaler scaler sets at least, the rollout never ends: the new pod waits for"
    )
    assert (5, "it sets 3 replicas") in [(related.place.line, related.message) for related in other.related]
    assert other.fixes[0].verified


def test_an_autoscaler_that_starts_to_ask_for_more_scales_while_the_change_is_rolled_out():
    before = "---\n" + hpa(1, 4, name="a") + made("a", KEEPS)
    after = "---\n" + hpa(3, 4, name="a") + made("a", KEEPS, more="args: [x]\n")
    assert found(before, after, inventory(5)) == []
    ((code, _, text), *_) = found(before, after, inventory(2))
    assert code == "KLG109"
    assert "2 of the 3 replicas that HorizontalPodAutoscaler scaler sets at least" in text


@pytest.mark.parametrize(("most", "told"), [(4, []), (5, [("certain", "warning")])])
def test_a_pool_grows_no_further_than_its_declared_maximum(most, told):
    cluster = (
        'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\npools:\n  - name: l4\n    count: 2\n'
        "    autoscaling: {min: 1, max: 4}\n    template: {allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 1}}\n"
        "priorityClasses:\n  - {name: serving, value: 1000}\n"
    )
    one = findings(hpa(1, most) + deployment(spec=GIVES), cluster, "KLG115")
    assert [(found.certainty, found.severity) for found in one] == told


def scaled_object(spec="", notes=""):
    about = f"{{name: scaler, namespace: serving{notes}}}"
    return f"apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {about}\nspec:\n  scaleTargetRef: {{name: chat}}\n{spec}---\n"


@pytest.mark.parametrize(
    ("spec", "notes", "told"),
    [
        ("  minReplicaCount: 3\n  maxReplicaCount: 5\n", "", [("KLG109", 6)]),
        ("  maxReplicaCount: 5\n", "", [("KLG115", 6)]),
        ("", "", [("KLG115", 4)]),
        ("  maxReplicaCount: 2\n", "", []),
        ("  minReplicaCount: 3\n  maxReplicaCount: 5\n  idleReplicaCount: 0\n", "", [("KLG115", 7)]),
        ("  minReplicaCount: 3\n", ", annotations: {autoscaling.keda.sh/paused: 'true'}", []),
        ("  minReplicaCount: 3\n", ", annotations: {autoscaling.keda.sh/paused-replicas: '1'}", []),
    ],
)
def test_a_scaled_object_sets_replicas_by_its_bounds(spec, notes, told):
    found = findings(scaled_object(spec, notes) + deployment(spec=GIVES), GPU_NODE % 2)
    assert [(one.code, one.place.line) for one in found if one.code != "KLG301"] == told


def test_the_most_replicas_of_a_scaled_object_are_a_hundred_by_default():
    (one,) = findings(scaled_object() + deployment(spec=GIVES), GPU_NODE % 2, "KLG115")
    assert one.message == (
        "maxReplicaCount is 100 by default, but only 2 replicas find room: 0 of 2 nvidia.com/gpu is free on gpu-1; "
        "its other pods (2 nvidia.com/gpu) hold all"
    )
    assert one.fixes == ()


def test_a_scaled_object_that_scales_nothing_is_told():
    (one,) = findings(scaled_object().replace("name: chat", "name: chatt") + deployment(spec=GIVES), code="KLG116")
    assert one.message == "it scales Deployment serving/chatt, which is not there: nothing is ever scaled"
