"""Workloads whose pods must be near to pods of others."""

from __future__ import annotations

import re

import pytest
from change_cases import GIVES, inventory, made
from checks_units import deployment, findings
from companions import APART, CACHE, KEPT, NEAR, TWO_NODES, codes, said


def test_a_rollout_near_to_what_runs_is_judged():
    chat = deployment(spec=KEPT, pod=NEAR)
    assert codes(chat, 1) == {"KLG101"}
    assert codes(chat, 2) == set()


def test_missing_room_near_to_what_runs_is_told():
    assert codes(deployment(spec=f"replicas: 3\n{KEPT}", pod=NEAR), 2) == {"KLG109"}
    assert codes(deployment(pod=NEAR), 0) <= {"KLG109"}


def test_of_a_companion_that_nobody_runs_another_rule_speaks():
    assert codes(deployment(spec=KEPT, pod=NEAR), 1, "") == {"KLG403"}


BUDGET = """\
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: chat, namespace: serving}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: chat}}}
"""
PINNED = "---\n" + deployment(name="cache", limits="{cpu: 1}", pod="nodeSelector: {kubernetes.io/hostname: gpu-1}\n")
JOB = """\
---
apiVersion: batch/v1
kind: Job
metadata: {name: %s, namespace: serving}
spec:
  parallelism: %s
  completions: %s
  template:
    metadata: {labels: {app: %s}}
    spec:
      restartPolicy: Never
%s      containers:
        - {name: main, image: i, command: [torchrun, t.py], resources: {limits: {nvidia.com/gpu: 1}}}
"""


def job(name, pods, spec=""):
    return JOB % (name, pods, pods, name, "".join(f"      {line}\n" for line in spec.splitlines()))


def test_a_drain_of_pods_that_cannot_follow():
    text = deployment(spec="replicas: 2\nstrategy: {type: Recreate}", pod=NEAR) + BUDGET
    assert said("KLG112", text + CACHE) == []
    (message,) = said("KLG112", text + PINNED)
    assert "2 of 2 pods find no room on another node" in message


def test_a_drain_that_is_not_decided_says_so():
    constraint = (
        "topologySpreadConstraints:\n  - {maxSkew: 1, topologyKey: kubernetes.io/hostname, nodeTaintsPolicy: Honor, "
        "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: chat}}}\n"
    )
    text = deployment(spec="replicas: 4\nstrategy: {type: Recreate}", pod=constraint) + BUDGET
    (found,) = [one for one in findings(text, TWO_NODES) if one.code == "KLG112"]
    assert (found.severity, found.certainty) == ("note", "possible")
    assert "undecided" in found.message


def test_a_job_near_to_a_service_and_two_that_hold_each_other_there():
    (message,) = said("KLG113", job("a", 6, NEAR) + CACHE)
    assert "while Deployment serving/cache runs, Job serving/a needs its 6 pods at once and only 4 find room" in message
    (message,) = said("KLG113", job("a", 3, NEAR) + job("b", 3, NEAR) + CACHE)
    assert "Job serving/a and Job serving/b can block each other" in message
    assert said("KLG113", job("a", 2, NEAR) + job("b", 2, NEAR) + CACHE) == []
    (message,) = said("KLG113", job("a", 3, APART) + job("b", 3, APART) + CACHE)
    assert "can block each other" in message


def test_a_job_near_to_a_job_of_other_pods_is_undecided_where_others_compete():
    leaning = job("a", 3, NEAR.replace("app: cache", "app: queue"))
    queue = job("queue", 2).replace("torchrun, t.py", "work")
    (message,) = said("KLG113", leaning + job("b", 3) + queue)
    assert message.startswith("whether it and others hold each other up is undecided: its pods must be near to")
    assert said("KLG113", leaning + queue) == []
    (message,) = said("KLG113", job("a", 9, NEAR.replace("app: cache", "app: queue")) + queue)
    assert "only 8 find room" in message


def test_a_job_that_may_evict_those_it_must_be_near_to_is_undecided():
    high = "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 9000\n"
    (message,) = said("KLG113", job("a", 6, NEAR + "priorityClassName: high\n") + CACHE + high)
    assert message == (
        "whether all its pods run at once is undecided: "
        "it may evict some of those that its pods must be near to or apart from"
    )


def _scaling(name, most):
    return made(name, GIVES) + (
        "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n"
        f"metadata: {{name: {name}, namespace: serving}}\nspec:\n"
        f"  scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: {name}}}\n"
        f"  minReplicas: 1\n  maxReplicas: {most}\n"
    )


@pytest.mark.parametrize("most", [(8, 8), (8, 4), (5, 4, 4), (7, 2, 6)])
@pytest.mark.parametrize("limited", [True, False])
def test_the_numbers_of_a_finding_are_of_one_state_that_the_quota_and_the_nodes_allow(most, limited):
    text = "".join(_scaling(f"w{number}", one) for number, one in enumerate(most)).removeprefix("---\n")
    if limited:
        text += (
            "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\n"
            "spec: {hard: {requests.nvidia.com/gpu: 8}}\n"
        )
    for one in findings(text, inventory(16 if limited else 8), "KLG115"):
        numbers = [int(number) for number in re.findall(r"(\d+) replicas?", one.message)]
        assert sum(numbers) == 8
        assert not limited or "has 8 in use" in one.message
