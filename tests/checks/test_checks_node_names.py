"""Templates that name their node: the kubelet takes the pods or fails them, and rollouts hang on that."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings, unit

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - name: gpu-1
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: 1}
  - name: gpu-2
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: 4}
  - name: cpu-1
    allocatable: {cpu: 4, memory: 64Gi}
priorityClasses:
  - {name: serving, value: 1000}
  - {name: low, value: 1}
"""
GIVES = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"
PORT = "ports: [{containerPort: 80, hostPort: 8080}]"


def named(node, more=""):
    return f"nodeName: {node}\n{more}"


def rollouts(text, inventory=NODES):
    return [one for one in findings(text, inventory) if one.code.startswith("KLG1")]


def test_a_surge_onto_a_full_node_that_is_named_never_ends_and_the_kubelet_fails_pod_after_pod():
    (found,) = rollouts(deployment(pod=named("gpu-1")))
    assert (found.code, found.severity, found.certainty, found.scheduler) == ("KLG101", "error", "certain", None)
    assert found.message == (
        "the rollout never ends: the kubelet of gpu-1 fails each new pod with OutOfnvidia.com/gpu (held by the old pod), "
        "and the old pod is kept until the new one is available"
    )
    assert ("kubelet on gpu-1", "fails the new pod with OutOfnvidia.com/gpu; the next one is made at once") in [
        (step.actor, step.message) for step in found.trace
    ]
    assert "kube-scheduler" not in {step.actor for step in found.trace}
    assert "set maxSurge: 0 and maxUnavailable: 1" in found.fixes[0].title


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (deployment(spec=GIVES, pod=named("gpu-1")), []),
        (deployment(pod=named("gpu-2")), []),
        (deployment(pod=named("cpu-1")), []),
        (deployment(pod=named("cpu-1"), limits="{cpu: 3}"), ["KLG101"]),
        (deployment(pod=named("gpu-2"), more=PORT), ["KLG102"]),
        (deployment(pod=named("nowhere")), []),
        (deployment(spec="replicas: 2", pod=named("gpu-1")), []),
    ],
    ids=["gives", "room", "unknown-resource", "cpu", "port", "no-node", "more-than-fit"],
)
def test_what_the_kubelet_looks_at_decides(text, codes):
    assert [one.code for one in rollouts(text)] == codes


def test_taints_and_affinity_to_pods_are_not_looked_at():
    tainted = NODES.replace("count: 4}\n", "count: 4}\n    taints: [{key: gpu, effect: NoSchedule}]\n")
    apart = (
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: chat}}}]}}\n"
    )
    judged = unit(deployment(pod=named("gpu-2", apart)), tainted)
    (found,) = judged.judgements.values()
    assert (str(found.verdict), found.placed) == ("Verdict.COMPLETES", 1)


def test_pods_on_a_named_node_take_room_from_others():
    both = deployment(pod=named("gpu-1"), spec=GIVES) + "---\n" + deployment(name="b", pod="nodeSelector: {on: one}")
    nodes = NODES.replace("  - name: gpu-1\n", "  - name: gpu-1\n    labels: {on: one}\n").replace(
        "count: 1}", "count: 2}"
    )
    (found,) = rollouts(both, nodes)
    assert (found.code, found.object) == ("KLG101", "Deployment/serving/b")
    assert "held by the old pod and Deployment serving/chat" in found.message
