"""Custom resources that never have all the pods that they need."""

from __future__ import annotations

import pytest
from checks_units import findings
from gang_objects import POD, inventory, service, torch

CPU = "{containers: [{name: a, image: a, resources: {limits: {cpu: 1}}}]}"
SIGN = "{restartPolicy: Never, containers: [{name: a, image: a, env: [{name: MASTER_ADDR, value: a}], %s}]}"


def job_set(replicas=1, pods=2):
    spec = SIGN % "resources: {limits: {nvidia.com/gpu: 1}}"
    return (
        "---\napiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: s, namespace: research}\nspec:\n"
        f"  replicatedJobs:\n    - name: w\n      replicas: {replicas}\n      template:\n        spec:\n"
        f"          parallelism: {pods}\n          completions: {pods}\n          template: {{spec: {spec}}}\n"
    )


def ray(kind="RayJob", workers=4):
    key = "rayClusterSpec" if kind == "RayJob" else ""
    indent = "  " if key else ""
    return (
        f"---\napiVersion: ray.io/v1\nkind: {kind}\nmetadata: {{name: r, namespace: research}}\nspec:\n"
        + (f"  {key}:\n" if key else "")
        + f"{indent}  headGroupSpec: {{template: {{spec: {CPU}}}}}\n{indent}  workerGroupSpecs:\n"
        f"{indent}    - {{groupName: g, replicas: {workers}, template: {{spec: {POD % 1}}}}}\n"
    )


def told(text, cluster):
    return [one.message for one in findings(text, cluster) if one.code in ("KLG113", "KLG109")]


@pytest.mark.parametrize(
    ("text", "gpus", "begins"),
    [
        (torch(), (2,), "PyTorchJob research/t needs its 4 pods at once and only 2 find room"),
        (torch(), (1, 1, 1), "PyTorchJob research/t needs its 4 pods at once and only 3 find room"),
        (torch(workers=2), (2,), "PyTorchJob research/t needs its 3 pods at once and only 2 find room"),
        (torch(workers=1, gpus=2), (3,), "PyTorchJob research/t needs its 2 pods at once and only 1 finds room"),
        (torch(), (4,), ""),
        (torch(), (2, 2), ""),
        (torch(workers=1, gpus=2), (3, 3), ""),
        (
            torch(workers=1, gpus=2).replace("gpu: 2", "gpu: 1", 1),
            (2, 1),
            "PyTorchJob research/t needs its 2 pods at once and as few as 1 finds room",
        ),
        (ray(), (2,), "RayJob research/r needs its 5 pods at once and only 3 find room"),
        (ray(), (4,), ""),
        (ray("RayCluster"), (2,), "only 2 of 4 replicas can run"),
        (ray("RayCluster"), (4,), ""),
        (job_set(pods=4), (2,), "JobSet research/s needs its 4 pods at once and only 2 find room"),
        (job_set(3, 4), (2,), "Job research/s-w-"),
        (job_set(2, 2), (4,), ""),
        (job_set(2, 2), (3,), ""),
        (job_set(2, 2), (2,), "started together, Job research/s-w-0 and Job research/s-w-1 can block"),
    ],
)
def test_what_never_has_all_its_pods_holds_what_it_has(text, gpus, begins):
    found = told(text, inventory(*gpus))
    assert len(found) == bool(begins)
    assert all(message.startswith(begins) for message in found)


def test_running_pods_of_others_are_in_the_way_and_its_own_and_those_that_end_are_not():
    def running(namespace, more=""):
        return f"running:\n  - {{name: x, namespace: {namespace}, node: n1, gpus: 1{more}}}\n"

    assert told(torch(), inventory(4, more=running("serving")))[0].startswith("PyTorchJob research/t needs its 4 pods")
    assert told(torch(), inventory(4, more=running("research"))) == []
    assert told(torch(), inventory(4, more=running("serving", ", owner: Job/x"))) == []


LOW = "priorityClasses:\n  - {name: low, value: -5}\n"


def test_a_service_that_is_evicted_is_in_nobodys_way():
    assert not told(torch() + service("      priorityClassName: low\n"), inventory(5, more=LOW))


@pytest.mark.parametrize(
    ("text", "gpus", "complete", "severity"),
    [
        (torch(), (2,), True, "error"),
        (torch(), (2,), False, "note"),
        (ray(), (2,), True, "error"),
        (torch(workers=1, gpus=2).replace("gpu: 2", "gpu: 1", 1), (2, 1), True, "warning"),
    ],
)
def test_what_never_runs_whole_is_an_error(text, gpus, complete, severity):
    nodes = inventory(*gpus).replace("complete: true", f"complete: {str(complete).lower()}")
    (found,) = [one for one in findings(text, nodes) if one.code == "KLG113"]
    assert found.severity == severity


@pytest.mark.parametrize(
    ("most", "says"),
    [
        (
            3,
            "only 3 are made, the next one is refused by quota q, which allows 3 requests.nvidia.com/gpu and has 3 in use",
        ),
        (
            1,
            "only 1 is made, the next one is refused by quota q, which allows 1 requests.nvidia.com/gpu and has 1 in use",
        ),
        (0, "not one is made, the next one is refused by quota q, which allows 0 requests.nvidia.com/gpu"),
        (4, ""),
    ],
)
def test_a_quota_counts_the_pods_of_all_roles(most, says):
    quota = (
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: research}\n"
        f"spec: {{hard: {{requests.nvidia.com/gpu: {most}}}}}\n"
    )
    found = [one for one in findings(torch() + quota, inventory(4)) if one.code == "KLG113"]
    assert [one.message.partition(" pods at once and ")[2][: len(says)] for one in found] == ([says] if says else [])
    assert all((one.severity, one.certainty) == ("error", "certain") for one in found)
