"""Pods that must be near to pods of others, or apart from them."""

from checks_units import GPU_NODE, deployment, findings

RUNNING = "running:\n  - {name: cache-1, namespace: serving, node: gpu-1, labels: {app: cache}}\n"
NEAR = """\
affinity:
  podAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: cache}}}
"""
KEPT = "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
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


def codes(text, gpus, running=RUNNING):
    return {one.code for one in findings(text, GPU_NODE % gpus + running)} & {"KLG101", "KLG109", "KLG115", "KLG403"}


def said(code, text, inventory=TWO_NODES):
    return [one.message for one in findings(text, inventory) if one.code == code]
