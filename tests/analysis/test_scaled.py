"""Rollouts at the numbers of replicas that an autoscaler may set."""

from __future__ import annotations

from checks_units import deployment, findings

GIVES = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"


def nodes(*gpus):
    told = "".join(
        f"  - name: gpu-{number}\n    allocatable: {{cpu: 16, memory: 64Gi}}\n    gpus: {{model: L4, count: {count}}}\n"
        for number, count in enumerate(gpus, 1)
    )
    return (
        'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\n'
        f"nodes:\n{told}priorityClasses:\n  - {{name: serving, value: 1000}}\n"
    )


def scaler(least, most):
    return (
        "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: chat, namespace: serving}\n"
        f"spec: {{minReplicas: {least}, maxReplicas: {most}, scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, "
        "name: chat}}\n"
    )


def test_a_number_of_replicas_that_an_autoscaler_may_set_and_at_which_the_rollout_never_ends_is_a_warning():
    (found,) = findings(deployment() + scaler(1, 3), nodes(3))
    assert (found.code, found.severity, found.certainty) == ("KLG107", "warning", "certain")
    assert found.message.startswith(
        "at 3 replicas, which HorizontalPodAutoscaler chat may set, the rollout never ends: the new pod waits for 1 "
    )
    assert [one.message for one in found.related][-1] == "it may set 3 replicas"
    assert next((fix.safety, fix.verified) for fix in found.fixes) == ("safe", True)


def test_numbers_of_replicas_at_which_the_rollout_ends_are_silent():
    assert findings(deployment() + scaler(1, 2), nodes(3)) == []
    assert findings(deployment(spec="replicas: 4") + scaler(4, 5), nodes(5)) == []
    assert findings(deployment(spec=GIVES) + scaler(1, 3), nodes(3)) == []


def test_the_largest_number_that_finds_room_is_looked_at():
    one = deployment(spec="strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}")
    (found,) = findings(one + scaler(1, 9), nodes(5, 4))
    assert found.message.startswith("at 9 replicas, ")


def test_the_one_number_that_an_autoscaler_sets_is_the_number_of_replicas():
    (found,) = findings(deployment(spec="replicas: 1") + scaler(2, 2), nodes(2))
    assert (found.code, found.severity, found.certainty) == ("KLG101", "error", "certain")
    assert found.message.startswith("at 2 replicas, which HorizontalPodAutoscaler chat sets, the rollout never ends: ")
    (found,) = findings(deployment(spec="replicas: 1") + scaler(1, 2), nodes(2))
    assert (found.code, found.severity) == ("KLG107", "warning")
    assert found.message.startswith(
        "at 2 replicas, which HorizontalPodAutoscaler chat may set, the rollout never ends: "
    )
