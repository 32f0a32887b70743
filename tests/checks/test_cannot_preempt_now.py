"""Whose priority does not help, and who needs no help, because what holds the room leaves it in the same apply."""

from __future__ import annotations

import pytest
from checks_units import deployment, unit

from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - name: gpu-1
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: 2}
priorityClasses:
  - {name: low, value: 10}
  - {name: polite, value: 1000, preemptionPolicy: Never}
running:
"""
RUNS = (
    "  - {{name: chat-1-{0}, namespace: serving, node: gpu-1, gpus: 1, owner: ReplicaSet/chat-1, labels: {{app: chat}}, "
    "priorityClassName: low}}\n"
)


def chat(replicas):
    return deployment(spec=f"replicas: {replicas}").replace(": serving\n      cont", ": low\n      cont")


@pytest.mark.parametrize(("replicas", "waits"), [(1, False), (2, True)])
def test_room_that_is_left_in_the_same_apply_needs_no_priority(replicas, waits):
    polite = deployment(name="serve").replace(": serving\n      cont", ": polite\n      cont")
    inventory = NODES + RUNS.format("x") + RUNS.format("y")
    judged = unit(f"{chat(replicas)}---\n{polite}", inventory, before=chat(2))
    judged = ApplySet(judged.readings, judged.world, before=judged.before, made={"Deployment/serving/serve"})
    codes = [one.code for one in check((judged,), judged.world).findings]
    assert ("KLG304" in codes) == waits


@pytest.mark.parametrize(
    ("policy", "refused"),
    [("", False), ("preemptionPolicy: Never\n", False), ("preemptionPolicy: PreemptLowerPriority\n", True)],
)
def test_a_class_of_the_cluster_keeps_its_preemption_policy(policy, refused):
    serve = deployment(name="serve").replace(": serving\n      cont", ": polite\n      cont")
    polite = f"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {{name: polite}}\nvalue: 1000\n{policy}"
    judged = unit(f"{serve}---\n{polite}", NODES + RUNS.format("x") + RUNS.format("y"))
    found = {one.code for one in check((judged,), judged.world).findings}
    assert "KLG108" not in found
    assert ("KLG009" in found) == refused
