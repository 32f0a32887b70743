"""Inventories with a few running pods."""

from __future__ import annotations

from checks_units import deployment

HEAD = 'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\n'


CLASSES = "priorityClasses:\n  - {name: serving, value: 1000}\n  - {name: low, value: 1}\n"


def inventory(gpus=1, nodes=1, more="", scaling=""):
    pool = f"pools:\n  - name: l4\n    count: {nodes}\n{scaling}    template:\n      allocatable: {{cpu: 16, memory: 64Gi}}\n"
    return f"{HEAD}{pool}      gpus: {{model: L4, count: {gpus}}}\n{CLASSES}{more}"


def budget(line, name="chat"):
    return (
        f"apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: {name}, namespace: serving}}\n"
        f"spec: {{{line}, selector: {{matchLabels: {{app: {name}}}}}}}\n---\n"
    )


def running(name, node="l4-1", gpus=1, priority="serving", owner=""):
    told = f"    owner: {owner}\n" if owner else ""
    return (
        f"running:\n  - name: {name}\n    namespace: research\n    node: {node}\n    gpus: {gpus}\n"
        f"    priorityClassName: {priority}\n{told}"
    )


def daemon_set(surge, unavailable=0, **parts):
    spec = f"updateStrategy: {{rollingUpdate: {{maxSurge: {surge}, maxUnavailable: {unavailable}}}}}"
    return deployment(spec=spec, **parts).replace("kind: Deployment", "kind: DaemonSet")


MOVED = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
complete: true
nodes:
  - {name: n1, labels: {zone: a, pool: a}, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: %d}}
  - {name: n2, labels: {zone: b}, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: %d}}
priorityClasses: [{name: serving, value: 1000}]
running:
"""


def runs(name, node, kind="Deployment"):
    more = f"priority: 1000, owner: {kind}/serving/{name}, labels: {{app: {name}}}, requests: {{nvidia.com/gpu: 1}}"
    return f"  - {{name: {name}-1, node: {node}, namespace: serving, {more}}}\n"
