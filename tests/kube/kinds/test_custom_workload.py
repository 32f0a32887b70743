"""Pod templates inside custom resources."""

from __future__ import annotations

import pytest
from custom_objects import POD, TEMPLATE, custom

from kubelint_gpu.kube.kinds.custom_strategy import _READERS
from kubelint_gpu.kube.kinds.custom_workload import custom_workloads, rows
from kubelint_gpu.kube.objects.rolling import JobStrategy


def told(found):
    return [(workload.spec_pointer, workload.replicas) for workload in found]


def test_every_role_of_a_training_job_is_a_workload():
    roles = {"Master": {"template": TEMPLATE}, "Worker": {"replicas": 3, "template": TEMPLATE}}
    found = custom("kubeflow.org/v1", "PyTorchJob", {"pytorchReplicaSpecs": roles})
    at = ("spec", "pytorchReplicaSpecs")
    assert told(found) == [((*at, "Master", "template", "spec"), 1), ((*at, "Worker", "template", "spec"), 3)]
    assert all(isinstance(workload.strategy, JobStrategy) for workload in found)


def test_the_pods_of_a_job_set_are_replicas_times_parallelism():
    jobs = [
        {"replicas": 2, "template": {"spec": {"parallelism": 4, "template": TEMPLATE}}},
        {"template": {"spec": {"template": TEMPLATE}}},
    ]
    found = custom("jobset.x-k8s.io/v1alpha2", "JobSet", {"replicatedJobs": jobs})
    assert [workload.replicas for workload in found] == [8, 1]


@pytest.mark.parametrize(
    ("trial", "pods"),
    [
        ({"kind": "Job", "spec": {"parallelism": 2, "template": TEMPLATE}}, [6]),
        ({"kind": "TFJob", "spec": {"tfReplicaSpecs": {"Worker": {"replicas": 4, "template": TEMPLATE}}}}, [12]),
    ],
)
def test_the_trials_of_an_experiment_run_in_parallel(trial, pods):
    found = custom(
        "kubeflow.org/v1beta1", "Experiment", {"parallelTrialCount": 3, "trialTemplate": {"trialSpec": trial}}
    )
    assert [workload.replicas for workload in found] == pods


def test_a_schedule_starts_what_its_template_says_unless_it_is_suspended():
    spec = {"schedule": "@daily", "workflowSpec": {"templates": [{"name": "a", "container": {"image": "x"}}]}}
    executor = {"instances": 5, "gpu": {"name": "nvidia.com/gpu", "quantity": 2}}
    spark = {"schedule": "@daily", "template": {"driver": {"cores": 1}, "executor": executor}}
    assert [one.replicas for one in custom("argoproj.io/v1alpha1", "CronWorkflow", spec)] == [1]
    group = "sparkoperator.k8s.io/v1beta2"
    assert [one.replicas for one in custom(group, "ScheduledSparkApplication", spark)] == [1, 5]
    assert [one.replicas for one in custom(group, "ScheduledSparkApplication", {**spark, "suspend": True})] == [0, 0]


def test_a_ray_cluster_has_a_head_and_groups_of_workers():
    groups = [{"replicas": 2, "numOfHosts": 4, "template": TEMPLATE}]
    found = custom("ray.io/v1", "RayCluster", {"headGroupSpec": {"template": TEMPLATE}, "workerGroupSpecs": groups})
    assert [workload.replicas for workload in found] == [1, 8]
    assert found[0].strategy is None


def test_a_bare_pod_spec_has_its_own_pointer():
    (found,) = custom("serving.kserve.io/v1beta1", "InferenceService", {"predictor": {**POD, "minReplicas": 2}})
    assert found.spec_pointer == ("spec", "predictor")
    assert found.replicas == 2
    assert not found.is_template


def test_volcano_jobs_are_told_from_those_of_kubernetes():
    spec = {"tasks": [{"replicas": 2, "template": TEMPLATE}]}
    assert [workload.replicas for workload in custom("batch.volcano.sh/v1alpha1", "Job", spec)] == [2]
    assert custom("batch/v1", "Job", {"template": TEMPLATE}) == []


@pytest.mark.parametrize(
    ("version", "kind", "spec"),
    [
        ("ray.io/v1", "RayCluster", None),
        ("ray.io/v1", "RayCluster", {"workerGroupSpecs": {"not": "a list"}}),
        ("serving.kserve.io/v1alpha1", "ClusterServingRuntime", POD),
        ("v1", "PodTemplate", {}),
    ],
)
def test_what_starts_no_pods_is_no_workload(version, kind, spec):
    assert custom(version, kind, spec) == []


def test_problems_are_told_with_their_place():
    value = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Rollout",
        "spec": {"template": {"spec": {**POD, "hostNetwork": "yes"}}},
    }
    ((_, problems),) = custom_workloads(value)
    assert [problem.pointer for problem in problems] == [("spec", "template", "spec", "hostNetwork")]


_INLINE = {"containers", "elsewhere", "inherits", "resources", "scheduling", "under", "unless"}


@pytest.mark.parametrize("key", sorted(rows()))
def test_rows_of_the_table_are_complete(key):
    row = rows()[key]
    assert set(row) - {"update", "exact", "autoscaled", "suspend"} == {"kind", "groups", "ends", "rollout", "templates"}
    assert row.get("update", "groups") in _READERS
    assert row["rollout"]
    for template in row["templates"]:
        inline = _INLINE if template["form"] == "inline" else set()
        grouped = {"groups", "first"} if "first" in template else set()
        forced = {"whole", "least"} if "whole" in template else set()
        assert (
            {"path", "form", "pods"} | grouped
            <= set(template)
            <= {"path", "form", "pods", "more", "strategy", "plain"} | inline | grouped | forced
        )
        assert template["form"] in ("template", "spec", "inline", "postgres")
        # the wildcards of a count are those of its template, from the left
        wild = [part for part in template["path"].split(".") if part == "*" or part.endswith("[]")]
        for path in (*template["pods"], *template.get("groups", ())):
            mine = [part for part in path.split(".") if part == "*" or part.endswith("[]")]
            assert mine == wild[: len(mine)]


def test_the_leader_of_a_group_is_one_of_its_pods():
    group = {"size": 4, "workerTemplate": TEMPLATE}
    alone = custom("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {"replicas": 3, "leaderWorkerTemplate": group})
    assert [workload.replicas for workload in alone] == [12]
    group = {**group, "leaderTemplate": TEMPLATE}
    led = custom("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {"replicas": 3, "leaderWorkerTemplate": group})
    assert [workload.replicas for workload in led] == [3, 9]


def test_the_template_of_a_knative_service_has_fields_of_its_own():
    spec = {"containerConcurrency": 10, "timeoutSeconds": 300, "containers": [{"image": "hello"}]}
    (found,) = custom("serving.knative.dev/v1", "Service", {"template": {"spec": spec}})
    assert found.extended
    assert found.is_template
