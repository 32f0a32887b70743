"""Manifests of two clusters in one repository."""

from __future__ import annotations

import os
import subprocess

SMALL = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
metadata: {name: small}
nodes:
  - {name: tracker-node, allocatable: {cpu: 32, memory: 125Gi}, gpus: {model: A100-PCIE-40GB, count: 1}}
  - {name: gpu-1, allocatable: {cpu: 32, memory: 125Gi}, gpus: {model: A100-PCIE-40GB, count: 2}}
  - {name: worker-1, allocatable: {cpu: 32, memory: 125Gi}}
"""


GENEROUS = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
metadata: {name: roomy}
nodes:
  - {name: tracker-node, allocatable: {cpu: 32, memory: 125Gi}, gpus: {model: A100-PCIE-40GB, count: 4}}
"""


def git(folder, *arguments):
    environment = {
        **os.environ,
        **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "somebody"),
        **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "somebody@example.org"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, env=environment)


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
