"""Small repositories for hostile inputs."""

from __future__ import annotations

import json
import os
import subprocess

IDENTITY = {
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "somebody"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "somebody@example.org"),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec:
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
      nodeSelector: {kubernetes.io/hostname: nowhere}
      containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: 1}}}]
"""
INVENTORY = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes: [{name: a, gpus: {model: L4, count: 1}}]\n"


def deployment(name):
    """A Deployment with an error, KLG402: no node is called so."""
    return DEPLOYMENT.replace("NAME", name)


def git(folder, *arguments, check=True, **options):
    return subprocess.run(
        ["git", *arguments],
        cwd=folder,
        capture_output=True,
        check=check,
        env={**os.environ, **IDENTITY},
        **options,
    )


def objects(ended, code="KLG402"):
    """The objects of which a run with `--output-format json` reports a rule."""
    return sorted(one["object"] for one in json.loads(ended.stdout)["findings"] if one["code"] == code)
