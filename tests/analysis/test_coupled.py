"""Replicas that an autoscaler may ask for, where pods must be near to others."""

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


def test_what_an_autoscaler_may_ask_for_is_counted_beside_its_companions():
    chat = deployment(pod=NEAR, spec=KEPT) + SCALER
    assert "KLG115" in codes(chat, 4)
    cache = "---\n" + deployment(name="cache", limits="{cpu: 1}")
    assert "KLG115" in codes(chat + cache, 4)
    assert "KLG115" not in codes(chat + cache, 8)


TWO_NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
complete: true
nodes:
  - {name: gpu-1, allocatable: {cpu: 64, memory: 512Gi}, gpus: {model: L40S, count: 4}}
  - {name: gpu-2, allocatable: {cpu: 64, memory: 512Gi}, gpus: {model: L40S, count: 4}}
priorityClasses:
  - {name: serving, value: 1000}
"""
CACHE = "---\n" + deployment(name="cache", limits="{cpu: 1}")
APART = NEAR.replace("podAffinity", "podAntiAffinity")


def said(code, text, inventory=TWO_NODES):
    return [one.message for one in findings(text, inventory) if one.code == code]


def test_where_two_autoscalers_raise_the_number_of_companions_the_best_numbers_count():
    chat = deployment(pod=NEAR, spec=KEPT) + SCALER
    both = chat + CACHE + SCALER.replace("name: chat", "name: cache")
    (message,) = said("KLG115", chat + CACHE)
    assert "only 4 replicas of Deployment serving/chat find room beside Deployment serving/cache" in message
    assert said("KLG115", both) == []


def test_an_autoscaler_of_pods_that_must_be_apart_from_others():
    (message,) = said("KLG115", deployment(pod=APART) + SCALER + CACHE)
    assert message.startswith("maxReplicas is 8, but only 4 replicas of Deployment serving/chat find room beside")
