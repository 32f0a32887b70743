"""One object with several pod templates: one finding, with the templates named as its roles."""

from __future__ import annotations

from checks_units import findings

from kubelint_gpu.engine.causes import told_once
from kubelint_gpu.report.content import headline

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - {name: n1, allocatable: {cpu: 64, memory: 256Gi}, gpus: {model: L4, count: %d}}
priorityClasses:
  - {name: serving, value: 1000}
"""


def group(leader=4, worker=4):
    def template(role, gpus):
        return (
            f"    {role}Template:\n      metadata: {{labels: {{role: {role}}}}}\n      spec:\n"
            "        priorityClassName: serving\n        containers:\n"
            f"          - {{name: main, image: a/b:1, resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}}}\n"
        )

    return (
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: llama, namespace: serving}\n"
        "spec:\n  replicas: 1\n  rolloutStrategy:\n    type: RollingUpdate\n"
        "    rollingUpdateConfiguration: {maxUnavailable: 0, maxSurge: 1}\n  leaderWorkerTemplate:\n    size: 2\n"
        + template("leader", leader)
        + template("worker", worker)
    )


def told(text, inventory, code):
    return told_once(one for one in findings(text, inventory, code))


def test_a_rollout_of_a_group_names_its_subject_and_its_roles():
    (one,) = told(group(), NODES % 8, "KLG101")
    assert headline(one).startswith(
        "LeaderWorkerSet serving/llama: the rollout never ends: the new worker pod waits for 4 nvidia.com/gpu on n1, "
        "held by the old worker pod and its leader pods, "
    )


def test_both_templates_need_room_in_one_finding():
    (one,) = told(group(), "", "KLG114")
    assert not any("pods: " in related.message for related in one.related)
    (one,) = told(group(leader=1), "", "KLG114")
    assert "with 1 nvidia.com/gpu" in one.message
    assert any(
        related.message.startswith("worker pods: a rollout needs 2 places with 4 nvidia.com/gpu")
        or related.message.startswith("another template: a rollout needs 2 places with 4 nvidia.com/gpu")
        for related in one.related
    )


def test_the_roles_of_one_object_are_named_behind_it():
    (one,) = told(group(8, 8), NODES % 8, "KLG109")
    assert one.severity == "error"
    assert one.message.startswith(
        "the leader and worker pods of LeaderWorkerSet serving/llama cannot all run: they ask for 16 nvidia.com/gpu of n1"
    )
    assert headline(one) == one.message


def test_templates_with_a_line_of_their_own_are_findings_of_their_own():
    text = group().replace("        priorityClassName: serving\n", "")
    assert len(told(text, NODES % 8, "KLG301")) == 2
