"""What tells the workloads of a run apart, and the answers about them."""

from __future__ import annotations

import pickle

from checks_units import unit

from kubelint_gpu.analysis.predecessors import acting
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.analysis.transitions import transitions_in

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
complete: true
nodes:
  - name: n1
    allocatable: {cpu: 4, memory: 64Gi}
priorityClasses: [{name: all, value: 1, globalDefault: true}]
"""
POD = "{containers: [{name: a, image: a, resources: {limits: {cpu: %s}}}]}"


def deployment(cpu, name="web", more=""):
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: serving}}\nspec:\n{more}"
        f"  selector: {{matchLabels: {{app: {name}}}}}\n"
        f"  template: {{metadata: {{labels: {{app: {name}}}}}, spec: {POD % cpu}}}\n"
    )


def test_the_second_workload_of_a_name_has_a_key_of_its_own():
    found = unit("---\n".join((deployment(1), deployment(9), deployment(1, "other"), deployment(2))), NODES)
    keys = [one.key for one in found.subjects]
    assert keys == [
        "Deployment/serving/web",
        "Deployment/serving/web#2",
        "Deployment/serving/other",
        "Deployment/serving/web#3",
    ]
    assert list(transitions_in(found)) == ["Deployment/serving/web#3", "Deployment/serving/other"]
    assert [judgements_in(found)[key].room.placed for key in transitions_in(found)] == [1, 1]


def test_every_pod_template_of_a_custom_resource_has_a_key_of_its_own():
    text = (
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: chat, namespace: serving}\n"
        f"spec:\n  replicas: 2\n  leaderWorkerTemplate:\n    size: 2\n    leaderTemplate: {{spec: {POD % 1}}}\n"
        f"    workerTemplate: {{spec: {POD % 2}}}\n"
    )
    found = unit(text, NODES)
    assert [one.key for one in found.subjects] == [
        "LeaderWorkerSet/serving/chat (leader)",
        "LeaderWorkerSet/serving/chat (worker)",
    ]


def test_a_workload_in_another_state_is_told_from_the_one_that_is_judged():
    (subject,) = unit(deployment(1), NODES).subjects
    before = subject.marked("before")
    assert before.key == "Deployment/serving/web#before"
    assert before.marked("paused").key == "Deployment/serving/web#before paused"
    assert before.workload is subject.workload


def test_answers_are_found_again_in_another_process():
    found = unit(deployment(9), NODES)
    again = pickle.loads(pickle.dumps(judgements_in(found)))  # noqa: S301 - what was written here
    assert again[found.subjects[0].key].room.placed == 0


def test_one_that_is_not_paused_acts_by_its_own_template():
    found = unit(deployment(1), NODES)
    assert acting(found, found.subjects[0]) is found.subjects[0]
