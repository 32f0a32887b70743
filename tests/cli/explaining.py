"""A cluster and a workload to explain, and the command that does."""

from __future__ import annotations

from command_line import kubelint

ARGUMENTS = ("explain", "vision/deployment/object-tracker", "examples/tracker/tracker.yaml")
BOTH = (*ARGUMENTS, "-i", "examples/tracker/nodes.yaml")
CLUSTER = """
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - {name: special, allocatable: {cpu: 32, memory: 64Gi}, gpus: {model: A100-PCIE-40GB, count: 2},
     labels: {pool: gpu}, taints: ["maintenance=now:NoSchedule"]}
pools:
  - name: gpu
    count: 3
    namePattern: gpu-{}
    template:
      allocatable: {cpu: 32, memory: 64Gi}
      gpus: {model: A100-PCIE-40GB, count: 2}
      labels: {pool: gpu}
    autoscaling: {min: 1, max: 4}
priorityClasses:
  - {name: serving, value: 1000}
running:
  - {name: train, namespace: ml, node: gpu-1, gpus: 1, owner: Job/ml/train, count: 2, priority: 5000}
  - {name: notebook, namespace: lab, node: gpu-2, gpus: 2, priority: 5000}
  - {name: batch, namespace: ml, node: gpu-3, gpus: 2, owner: Job/ml/batch, priority: 10}
"""
WORKLOAD = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: infer, namespace: vision}
spec:
  replicas: 1
  selector: {matchLabels: {app: infer}}
  template:
    metadata: {labels: {app: infer}}
    spec:
      priorityClassName: serving
      nodeSelector: {pool: gpu}
      containers:
        - {name: main, image: x, resources: {limits: {nvidia.com/gpu: 2}}}
"""


def laid_out(tmp_path):
    """A folder with the cluster and the workload."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    (tmp_path / "infer.yaml").write_text(WORKLOAD)
    return tmp_path


def explain(folder, *arguments, what="deployment/infer", **options):
    return kubelint("explain", what, *arguments, cwd=folder, **options)


def situations(folder, *arguments, **options):
    ran = explain(folder, "-i", "cluster.yaml", "--output-format", "json", *arguments, **options)
    assert ran.code == 0, ran.err
    return {found["situation"]: found for found in ran.json["situations"]}


def explained(tmp_path, what, manifest, *nodes, more=""):
    """The text of `explain` before the answers behind the verdict, its lines put together."""
    (tmp_path / "m.yaml").write_text(manifest)
    listed = "".join(
        f"  - {{name: {name}, allocatable: {{cpu: 32, memory: 64Gi}}, gpus: {{model: L4, count: {gpus}}}}}\n"
        for name, gpus in nodes
    )
    (tmp_path / "i.yaml").write_text(
        f'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\nnodes:\n{listed}{more}'
    )
    out = kubelint("explain", what, "m.yaml", "-i", "i.yaml", cwd=tmp_path).out
    return " ".join(out.partition("\nwhy: ")[0].split())


def workload(kind, name, replicas, gpus, *, spec="", pod=""):
    head = "batch/v1" if kind == "Job" else "apps/v1"
    number = f"parallelism: {replicas}" if kind == "Job" else f"replicas: {replicas}"
    select = "" if kind == "Job" else f"  selector: {{matchLabels: {{app: {name}}}}}\n"
    return (
        f"---\napiVersion: {head}\nkind: {kind}\nmetadata: {{name: {name}, namespace: d}}\nspec:\n  {number}\n{select}{spec}"
        f"  template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec:\n{pod}      containers:\n"
        f"        - {{name: c, image: a, resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}}}\n"
    )
