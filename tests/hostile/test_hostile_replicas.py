"""Numbers of replicas that nobody could build: counted, with the verdict and the numbers of small ones."""

from __future__ import annotations

import json

import pytest
from crowds import MANY, deployment, inventory, job, template, workload, written
from limited import run

ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
ANTI = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "a"}}}
        ]
    }
}


def autoscaler(least, most):
    metric = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 8}},
    }
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "a", "namespace": "ml"},
        "spec": {"scaleTargetRef": target, "minReplicas": least, "maxReplicas": most, "metrics": [metric]},
    }


def quota(**hard):
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "ml"},
        "spec": {"hard": hard},
    }


def leader_worker_set():
    groups = {"size": MANY, "leaderTemplate": template("l"), "workerTemplate": template("l")}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "l", "namespace": "ml"},
        "spec": {"replicas": MANY, "leaderWorkerTemplate": groups},
    }


def training_job(name):
    roles = {
        "Master": {"replicas": 1, "template": template("k")},
        "Worker": {"replicas": MANY, "template": template("k")},
    }
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"pytorchReplicaSpecs": roles},
    }


def budget():
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "p", "namespace": "ml"},
        "spec": {"minAvailable": "50%", "selector": {"matchLabels": {"app": "a"}}},
    }


EIGHT = f"only 8 of {MANY} replicas can run"
CASES = {
    "rolling-update": ([deployment("a", MANY)], EIGHT),
    "recreate": ([deployment("a", MANY, strategy={"type": "Recreate"})], EIGHT),
    "max-surge-0": ([deployment("a", MANY, strategy=ROLLING)], EIGHT),
    "no-gpu": ([deployment("a", MANY, 0)], f"only 128 of {MANY} replicas can run"),
    "kept-apart": ([deployment("a", MANY, affinity=ANTI)], f"{MANY} replicas must be kept apart"),
    "replica-set": ([workload("ReplicaSet", "a", template("a"), replicas=MANY)], EIGHT),
    "stateful-set": ([workload("StatefulSet", "a", template("a"), replicas=MANY, serviceName="a")], "a-8"),
    "parallel": (
        [workload("StatefulSet", "a", template("a"), replicas=MANY, serviceName="a", podManagementPolicy="Parallel")],
        EIGHT,
    ),
    "first-ordinal": (
        [workload("StatefulSet", "a", template("a"), replicas=9, serviceName="a", ordinals={"start": MANY})],
        f"a-{MANY + 8}",
    ),
    "autoscaler": ([deployment("a", 1), autoscaler(MANY, MANY)], f"only 8 of the {MANY} replicas"),
    "at-most": ([deployment("a", 1), autoscaler(1, MANY)], f"maxReplicas is {MANY}, but only 8 replicas"),
    "quota": ([deployment("a", MANY), quota(pods="1000000000")], EIGHT),
    "small-quota": ([deployment("a", MANY), quota(**{"requests.nvidia.com/gpu": "3"})], f"only 3 of {MANY}"),
    "drain": ([deployment("a", MANY), budget()], "allows no eviction"),
    "leader-worker-set": ([leader_worker_set()], f"only 8 of {MANY} replicas can run"),
    "two": ([deployment("a", MANY), deployment("b", MANY)], EIGHT),
    "training": ([training_job("k"), training_job("l")], f"PyTorchJob ml/k needs its {MANY + 1} pods at once"),
}


@pytest.mark.parametrize("name", CASES)
def test_pods_that_no_node_holds_are_counted_and_not_built(name, tmp_path):
    objects, told = CASES[name]
    ended = run(*written(tmp_path, objects, inventory()), "--output-format", "json", cwd=tmp_path)
    found = json.loads(ended.stdout)
    assert told in " ".join(f"{one['message']} {one.get('trace')}" for one in found["findings"])
    assert not found["summary"]["undecided"]


@pytest.mark.parametrize(
    "objects",
    [
        [job("a", parallelism=MANY, completions=MANY)],
        [job("a", parallelism=MANY), job("b", parallelism=MANY), quota(**{"requests.nvidia.com/gpu": "3"})],
        [job("a", parallelism=1, completions=MANY, ttlSecondsAfterFinished=MANY), quota(**{"count/jobs.batch": "3"})],
    ],
    ids=["parallelism", "quota", "completions"],
)
def test_jobs_that_want_more_pods_than_there_are_may_wait(objects, tmp_path):
    ended = run(*written(tmp_path, objects, inventory()), "--output-format", "json", cwd=tmp_path)
    assert {one["code"] for one in json.loads(ended.stdout)["findings"]} == {"KLG301"}


def test_a_node_with_room_for_any_number_of_pods_is_no_trap(tmp_path):
    cluster = inventory(pods=MANY, memory="1Ei", cpu=10**12)
    ended = run(*written(tmp_path, [deployment("a", MANY, 0)], cluster), "--output-format", "json", cwd=tmp_path)
    assert json.loads(ended.stdout)["summary"]["errors"] == 0


def test_replicas_are_counted_over_ten_thousand_nodes(tmp_path):
    cluster = {
        **inventory(0),
        "pools": [{"name": "p", "count": 10_000, "template": {**inventory(1)["nodes"][0], "name": None}}],
    }
    del cluster["pools"][0]["template"]["name"]
    arguments = written(tmp_path, [deployment("a", MANY)], cluster)
    ended = run(*arguments, "--output-format", "json", cwd=tmp_path)
    assert f"only 40000 of {MANY} replicas can run" in ended.stdout.decode()
