"""Rollouts beside Jobs whose pods wait for each other."""

from __future__ import annotations

from checks_units import deployment, findings

KEEPS = "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"


def gang(name, pods, command="[torchrun, train.py]"):
    return (
        f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}, namespace: serving}}\nspec:\n"
        f"  parallelism: {pods}\n  completions: {pods}\n  template:\n    spec:\n      priorityClassName: serving\n"
        f"      restartPolicy: Never\n      containers:\n        - name: main\n          image: registry.example.com/t:1\n"
        f"          command: {command}\n          resources: {{limits: {{nvidia.com/gpu: 1}}}}\n"
    )


def nodes(gpus):
    return (
        'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\nnodes:\n  - name: gpu-1\n'
        f"    allocatable: {{cpu: 64, memory: 256Gi}}\n    gpus: {{model: L4, count: {gpus}}}\n"
        "priorityClasses:\n  - {name: serving, value: 1000}\n"
    )


def found(gpus, *jobs, spec=KEEPS):
    told = findings("---\n".join([deployment(spec=spec), *jobs]), nodes(gpus))
    return [one for one in told if one.code.startswith("KLG1")]
