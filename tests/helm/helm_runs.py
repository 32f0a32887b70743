"""Runs of the command over charts, and the charts of the tests."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import tarfile

CHART = "apiVersion: v2\nname: serving\nversion: 0.1.0\n"
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: blue}
spec:
  destination: {namespace: vision}
  source:
    repoURL: https://example.com/team/platform.git
    path: chart
    helm:
      %s
"""
"""An Application of Argo CD with something below `helm`."""
HELM_RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: blue, namespace: vision}
spec:
  chart:
    spec:
      chart: ./chart
      sourceRef: {kind: GitRepository, name: platform}
"""
SELECTED = ("-i", "inventory.yaml", "--select", "KLG503,KLG006,KLG000")
INVENTORY = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
complete: true
nodes:
  - name: gpu-1
    allocatable: {cpu: 32, memory: 125Gi}
    gpus: {model: GeForce RTX 3090, count: 1}
priorityClasses:
  - {name: serving, value: 1000}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}
spec:
  priorityClassName: serving
  containers:
    - name: main
      image: serving
      resources:
        limits:
          nvidia.com/gpu: {{ .Values.gpus }}
"""


class Ran:
    def __init__(self, done):
        self.code = done.returncode
        self.out, self.err = [one if isinstance(one, str) else one.decode() for one in (done.stdout, done.stderr)]

    @property
    def findings(self):
        return json.loads(self.out)["findings"]

    @property
    def told(self):
        return sorted((one["code"], one["path"], one["line"]) for one in self.findings)


def chart(files, *, folder="chart", values="gpus: 1\n", head=CHART):
    """The files of a chart, by path in the repository."""
    made = {f"{folder}/Chart.yaml": head, f"{folder}/values.yaml": values}
    return made | {f"{folder}/{name}": text for name, text in files.items()}


PLATFORM_CHART = chart({"templates/pod.yaml": POD, "prod.yaml": "gpus: 2\n"})
"""A chart that the GitOps objects of tests apply."""


def inventory(files):
    return {**files, "inventory.yaml": INVENTORY}


def place(finding):
    return finding["code"], finding["path"], finding["line"], finding["column"]


def committed(root):
    """Makes a repository of a folder."""
    (root / ".git").rmdir()
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "a"]):
        git(root, *command)


def git(root, *arguments):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments], cwd=root, check=True)


def packed(files):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, text in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(text.encode())
            archive.addfile(about, io.BytesIO(text.encode()))
    return gzip.compress(data.getvalue(), mtime=0)


def with_dependency(repository, *, name="serving"):
    return f"{CHART.replace('serving', 'parent')}dependencies:\n  - {{name: {name}, version: 0.1.0, {repository}}}\n"
