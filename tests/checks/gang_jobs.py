"""Jobs whose pods wait for each other."""

from __future__ import annotations


def grows(most, at_least=0):
    return f"    autoscaling: {{min: {at_least}, max: {most}}}\n"


def job(name, parallelism, *, sign="command: [torchrun, train.py]", more="", kind="Job"):
    return (
        f"apiVersion: batch/v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: serving}}\n"
        f"spec:\n  parallelism: {parallelism}\n  completions: {parallelism}\n{more}  template:\n    spec:\n"
        f"      restartPolicy: Never\n      priorityClassName: serving\n      containers:\n        - name: main\n"
        f"          image: registry.example.com/main:1\n          {sign}\n"
        f"          resources: {{limits: {{nvidia.com/gpu: 1}}}}\n"
    )
