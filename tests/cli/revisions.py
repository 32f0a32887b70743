"""Repositories whose manifests change."""

from __future__ import annotations

import os
import subprocess

ENVIRONMENT = {
    **os.environ,
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "somebody"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "somebody@example.org"),
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def git(folder, *arguments):
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, env=ENVIRONMENT)


def small(name, gpus=1, strategy="{rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}", args=""):
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  strategy: {strategy}\n"
        f"  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec:\n"
        f"      containers:\n        - name: main\n          image: registry.example.com/main:1\n{args}"
        f"          resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}\n---\n"
    )


ONE = (
    'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\nnodes:\n  - name: gpu-1\n'
    "    allocatable: {cpu: 16, memory: 64Gi}\n    gpus: {model: L4, count: 1}\n"
)


KEEPS = "{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
