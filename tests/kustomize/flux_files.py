"""A repository with a Kustomization of Flux and its variables."""

from __future__ import annotations

INVENTORY = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
complete: true
nodes:
  - name: gpu-1
    allocatable: {cpu: 32, memory: 125Gi}
    gpus: {model: GeForce RTX 3090, count: 1}
  - name: gpu-2
    allocatable: {cpu: 32, memory: 125Gi}
    gpus: {model: GeForce RTX 3090, count: 2}
priorityClasses:
  - {name: serving, value: 1000}
"""
SELECTED = ("-i", "inventory.yaml", "--select", "KLG003,KLG006,KLG101,KLG503")
APPS = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  path: ./apps
  sourceRef: {kind: GitRepository, name: platform}
  postBuild:
    %s
"""
VARS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: vars, namespace: flux-system}
data:
  gpus: "5"
"""
KEYS = """\
apiVersion: v1
kind: Secret
metadata: {name: keys, namespace: flux-system}
%s
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: main%s
spec:
  priorityClassName: serving
  containers:
    - name: main
      image: "serving:${tag:-1}"
      resources:
        limits:
          nvidia.com/gpu: ${gpus}
"""
FROM = "substituteFrom: [{kind: %s, name: %s}]"


def repository(post_build, **files):
    """The files of a repository, by path."""
    pod = {"apps/pod.yaml": POD % ""} if "apps/pod.yaml" not in files else {}
    return {"inventory.yaml": INVENTORY, "clusters/apps.yaml": APPS % post_build, **pod, **files}
