"""Workloads whose pods must be near to pods of others."""

from __future__ import annotations

from checks_units import GPU_NODE, deployment, findings

RUNNING = "running:\n  - {name: cache-1, namespace: serving, node: gpu-1, labels: {app: cache}}\n"
NEAR = """\
affinity:
  podAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: cache}}}
"""
KEPT = "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
SCALER = """\
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: chat, namespace: serving}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
  minReplicas: 1
  maxReplicas: 8
"""


def codes(text, gpus, running=RUNNING):
    return {one.code for one in findings(text, GPU_NODE % gpus + running)} & {"KLG101", "KLG109", "KLG115", "KLG403"}


def test_a_rollout_near_to_what_runs_is_judged():
    chat = deployment(spec=KEPT, pod=NEAR)
    assert codes(chat, 1) == {"KLG101"}
    assert codes(chat, 2) == set()


def test_missing_room_near_to_what_runs_is_told():
    assert codes(deployment(spec=f"replicas: 3\n{KEPT}", pod=NEAR), 2) == {"KLG109"}
    assert codes(deployment(pod=NEAR), 0) <= {"KLG109"}


def test_of_a_companion_that_nobody_runs_another_rule_speaks():
    assert codes(deployment(spec=KEPT, pod=NEAR), 1, "") == {"KLG403"}


def test_what_an_autoscaler_may_ask_for_is_counted_beside_what_runs_only():
    chat = deployment(pod=NEAR, spec=KEPT) + SCALER
    assert "KLG115" in codes(chat, 4)
    cache = "---\n" + deployment(name="cache", limits="{cpu: 1}")
    assert "KLG115" not in codes(chat + cache, 4)
