"""What units together ask for at rest, and when that is surely more than there is."""

from __future__ import annotations

import pytest
from checks_units import deployment, world

from kubelint_gpu.analysis.resting_demand import demands_of, shortages
from kubelint_gpu.documents import read
from kubelint_gpu.workspace.apply_set import ApplySet

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
  - {name: a, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 2}}
  - {name: b, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 2}}
  - {name: c, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: A10, count: 8}}
priorityClasses:
  - {name: serving, value: 1000}
"""
L4 = "nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}\n"
ON_A = "nodeSelector: {kubernetes.io/hostname: a}\n"


def said(*texts, nodes=NODES):
    cluster = world(nodes)
    units = [ApplySet((read(f"{number}.yaml", text.encode()),), cluster) for number, text in enumerate(texts)]
    return shortages(units, [demands_of(unit) for unit in units])


def asks(name, replicas, pod=""):
    return deployment(name=name, spec=f"replicas: {replicas}\n", pod=pod)


def test_the_fewest_nodes_that_lack_gpus_are_named():
    end = ": if all are applied, pods stay Pending. kubelint-gpu capacity says which."
    model = f"2 units together ask for 5 nvidia.com/gpu on nodes with NVIDIA-L4, which has 4{end}"
    assert said(asks("x", 3, L4), asks("w", 2, L4)) == (model,)
    assert said(asks("x", 2, ON_A), asks("w", 1, ON_A), asks("z", 12)) == (
        f"2 units together ask for 3 nvidia.com/gpu on a, which has 2{end}",
    )
    assert said(asks("x", 12), asks("w", 1, L4)) == (
        f"2 units together ask for 13 nvidia.com/gpu in the cluster, which has 12{end}",
    )


@pytest.mark.parametrize(
    "texts",
    [
        [asks("x", 3, L4), asks("w", 1, L4)],
        [asks("x", 5, L4)],
        # a finding says so of the first
        [asks("x", 5, L4), asks("w", 2, L4)],
        # two variants of one workload
        [asks("x", 3, L4), asks("x", 4, L4)],
        [asks("x", 3, L4), asks("w", 2)],
        [asks("x", 3, L4), asks("w", 0, L4)],
        [asks("x", 3, L4), "apiVersion: v1\nkind: Service\nmetadata: {name: w}\n"],
    ],
)
def test_nothing_is_said_of_what_may_fit_or_stands_in_a_finding(texts):
    assert said(*texts) == ()


def test_overlays_count_each_by_themselves_unless_they_make_the_same_object():
    base = asks("x", 2, L4)
    spaces = [base.replace("namespace: serving", f"namespace: {name}") for name in ("dev", "prod", "staging")]
    assert spaces[0] != base
    (told,) = said(*spaces)
    assert told.startswith("3 units together ask for 6 nvidia.com/gpu on nodes with NVIDIA-L4, which has 4")
    assert said(base, base, base) == ()
    (told,) = said(base, asks("x", 3, L4), asks("w", 2, L4))
    assert told.startswith("2 units together ask for 5 nvidia.com/gpu")


QUOTA = (
    "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\n"
    "spec: {hard: {requests.nvidia.com/gpu: 4}}\n"
)


@pytest.mark.parametrize(("first", "second", "asked"), [(3, 2, 5), (2, 2, 0), (5, 1, 0)])
def test_units_that_a_quota_cannot_admit_together_are_counted(first, second, asked):
    end = "which allows 4: if all are applied, pods are refused. kubelint-gpu capacity says which."
    told = f"2 units together ask for {asked} requests.nvidia.com/gpu of ResourceQuota serving/q, {end}"
    units = (asks("x", first) + QUOTA, asks("w", second) + QUOTA)
    assert said(*units) == (told,) * bool(asked)


TRAIN = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: serving}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: &pod {spec: {containers: [{name: p, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]}}}
    Worker: {replicas: 7, template: *pod}
"""


def test_what_jobs_hold_while_they_run_counts_and_is_named():
    part = "nvidia.com/gpu (8 of them while PyTorchJob serving/train runs) in the cluster, which has 12"
    end = "kubelint-gpu capacity says which."
    assert said(asks("x", 5), TRAIN) == (
        f"2 units together ask for 13 {part}: if all are applied, pods wait until a Job ends. {end}",
    )
    assert said(asks("x", 11), asks("w", 2), TRAIN) == (
        f"3 units together ask for 21 {part}: if all are applied, pods stay Pending. {end}",
    )
    assert said(asks("x", 4), TRAIN) == ()
    assert said(TRAIN, TRAIN.replace("name: train", "name: second")) == ()


def test_jobs_may_queue_and_pools_may_grow():
    job = (
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: w, namespace: serving}\nspec:\n  parallelism: 2\n"
        "  completions: 2\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
        "        - {name: main, image: i, resources: {limits: {nvidia.com/gpu: 2}}}\n"
    )
    assert said(asks("x", 3, L4), job) == ()
    pool = (
        "pools:\n  - name: more\n    autoscaling: {min: 0, max: 9}\n    allocatable: {cpu: 16, memory: 64Gi}\n"
        "    gpus: {model: L4, count: 2}\n"
    )
    assert said(asks("x", 3, L4), asks("w", 2, L4), nodes=NODES + pool) == ()


def test_a_unit_without_a_cluster_asks_for_nothing():
    assert said(asks("x", 3), asks("w", 2), nodes="") == ()
