"""Manifests of two clusters in one repository."""

from __future__ import annotations

import os
import subprocess

from command_line import READY as TRACKED

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


def laid_out(tmp_path):
    """A repository with two clusters and a workload for each of two units."""
    write(
        tmp_path,
        {
            "clusters/small.yaml": SMALL,
            "clusters/roomy.yaml": GENEROUS,
            "deploy/prod/tracker.yaml": TRACKED,
            "deploy/lab/tracker.yaml": TRACKED,
        },
    )
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    return tmp_path
