"""Which custom resources do nothing until all their pods run."""

from __future__ import annotations

import pytest
from ruamel.yaml import YAML

from kubelint_gpu.kube.kinds.custom_gang import custom_gangs

POD = "{spec: {containers: [{name: a, image: a}]}}"
SIGN = "{spec: {containers: [{name: a, image: a, env: [{name: MASTER_ADDR, value: a}]}]}}"
GROUPED = POD.replace("{spec", "{metadata: {annotations: {scheduling.k8s.io/group-name: a}}, spec")


def kubeflow(kind="PyTorchJob", key="pytorch", *, spec="", meta="", replicas=3, pod=POD, roles=("Master", "Worker")):
    lines = "".join(
        f"    {role}: {{{f'replicas: {replicas}, ' if role == 'Worker' else ''}template: {pod}}}\n" for role in roles
    )
    return (
        f"apiVersion: kubeflow.org/v1\nkind: {kind}\nmetadata: {{name: t{meta}}}\n"
        f"spec:\n{spec}  {key}ReplicaSpecs:\n{lines}"
    )


def ray(spec="", group="replicas: 4", cluster="", meta=""):
    return (
        f"apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {{name: t{meta}}}\nspec:\n{spec}  rayClusterSpec:\n{cluster}"
        f"    headGroupSpec: {{template: {POD}}}\n    workerGroupSpecs:\n      - {{groupName: g, {group}, template: {POD}}}\n"
    )


def job_set(*jobs, spec=""):
    entries = "".join(
        f"    - {{name: j{number}, {more}template: {{spec: {{{inner}, template: {pod}}}}}}}\n"
        for number, (inner, pod, more) in enumerate(jobs)
    )
    return f"apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: t}}\nspec:\n{spec}  replicatedJobs:\n{entries}"


FOUR = "parallelism: 4, completions: 4"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (kubeflow(), [[1, 3]]),
        (kubeflow(roles=("Worker",)), [[3]]),
        (kubeflow("TFJob", "tf", roles=("Chief", "Worker", "Evaluator")), [[1, 3]]),
        (kubeflow("MPIJob", "mpi", roles=("Launcher", "Worker")), [[1, 3]]),
        (kubeflow("JAXJob", "jax", roles=("Worker",)), [[3]]),
        (kubeflow("PaddleJob", "paddle", roles=("Worker",)), [[3]]),
        (kubeflow("XGBoostJob", "xgb"), [[1, 3]]),
        (kubeflow(spec="  runPolicy: {suspend: true}\n"), []),
        (kubeflow(spec="  runPolicy: {schedulingPolicy: {minAvailable: 4}}\n"), []),
        (kubeflow(meta=", labels: {kueue.x-k8s.io/queue-name: a}"), [[1, 3]]),
        (kubeflow(pod=GROUPED), []),
        (kubeflow(spec="  elasticPolicy: {minReplicas: 2}\n", roles=("Worker",)), [[2]]),
        (kubeflow(spec="  elasticPolicy: {maxReplicas: 3}\n", roles=("Worker",)), [[1]]),
        (kubeflow("TFJob", "tf", spec="  enableDynamicWorker: true\n"), []),
        (ray(), [[1, 4]]),
        (ray(group="replicas: 2, numOfHosts: 4"), [[1, 8]]),
        (ray(group="replicas: 4, minReplicas: 1", cluster="    enableInTreeAutoscaling: true\n"), [[1, 1]]),
        (ray(group="replicas: 4, suspend: true"), [[1]]),
        (ray("  suspend: true\n"), []),
        (ray("  clusterSelector: {ray.io/cluster: a}\n"), []),
        (ray(meta=', labels: {ray.io/gang-scheduling-enabled: "true"}'), []),
        (job_set((FOUR, SIGN, "")), [[4]]),
        (job_set((FOUR, POD, "")), []),
        (job_set(("parallelism: 2, completions: 4", SIGN, "")), []),
        (job_set((FOUR, SIGN, ""), ("parallelism: 1", SIGN, "")), [[4, 1]]),
        (
            job_set(
                (FOUR, SIGN, ""), ("parallelism: 1", SIGN, ""), spec="  startupPolicy: {startupPolicyOrder: InOrder}\n"
            ),
            [[4], [1]],
        ),
        (
            job_set((FOUR, SIGN, ""), ("parallelism: 1", SIGN, "dependsOn: [{name: j0, status: Complete}], ")),
            [[4], [1]],
        ),
        (job_set((FOUR, SIGN, "replicas: 2, ")), [[4], [4]]),
        (job_set((FOUR, SIGN, "replicas: 9, ")), [[4], [4], [4]]),
        (job_set((FOUR, SIGN, ""), spec="  suspend: true\n"), []),
        (ray().replace("kind: RayJob", "kind: RayCluster"), []),
    ],
)
def test_what_must_run_at_once(text, expected):
    value = YAML(typ="safe").load(text)
    assert [[count for _, count in one.parts] for one in custom_gangs(value)] == expected


def test_when_it_fails_by_itself():
    def deadline(text):
        return custom_gangs(YAML(typ="safe").load(text))[0].deadline

    assert deadline(kubeflow()) is None
    assert deadline(kubeflow(spec="  runPolicy: {activeDeadlineSeconds: 60}\n")) == 60
    assert deadline(ray("  activeDeadlineSeconds: 70\n")) == 70
    assert deadline(job_set((f"{FOUR}, activeDeadlineSeconds: 80", SIGN, ""))) == 80
