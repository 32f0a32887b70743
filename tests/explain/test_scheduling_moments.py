"""The moments at which pods of a workload look for a node, and what each class of nodes says then."""

from __future__ import annotations

import pytest
from checks_units import GPU_NODE, deployment, unit
from explaining import CLUSTER, WORKLOAD, explain, explained, situations, workload

from kubelint_gpu.explain.scheduling_moments import created_like, filled, with_daemons, with_placed


def of(situation, node):
    return next(found for found in situation["classes"] if node in found["nodes"])


def test_a_class_tells_what_is_free_who_holds_it_and_what_would_help(folder):
    found = situations(folder)["creation"]
    assert not found["fits"]
    full = of(found, "gpu-1")
    assert full["nodes"] == ["gpu-1", "gpu-2", "gpu-3"]
    assert full["free"]["nvidia.com/gpu"] == {"least": "0", "most": "0"}
    assert full["reasons"] == ["Insufficient nvidia.com/gpu"]
    assert [(one["owner"], one["lowerPriority"]) for one in full["holders"]] == [
        ("Job/ml/train", False),
        ("Job/ml/batch", True),
        ("Pod/lab/notebook", False),
    ]
    assert [(one["text"], one["nodes"]) for one in full["remedies"]] == [
        ("the pod lab/notebook ends", ["gpu-2"]),
        ("a pod of Job ml/batch ends", ["gpu-3"]),
        ("2 pods of Job ml/train end", ["gpu-1"]),
        ("it has 4 nvidia.com/gpu (now 2)", ["gpu-1", "gpu-2", "gpu-3"]),
    ]
    assert full["joining"]["text"] == "a node like gpu-1 joins"
    assert full["eviction"] == {"node": "gpu-3", "pods": ["ml/batch"], "budgetViolations": 0}
    assert found["growingPools"] == ["gpu"]
    assert [one["text"] for one in of(found, "special")["remedies"]] == [
        "the taint maintenance=now:NoSchedule goes",
    ]


def test_old_pods_are_where_the_inventory_says(folder):
    cluster = CLUSTER.replace("gpus: 2, owner: Job/ml/batch, priority: 10", "gpus: 0").replace(
        "running:\n",
        "running:\n  - {name: old, namespace: vision, node: gpu-3, gpus: 2, labels: {app: infer}, priority: 1000}\n",
    )
    (folder / "cluster.yaml").write_text(cluster)
    found = situations(folder)
    assert of(found["creation"], "gpu-3")["fits"]
    assert (found["rollout"]["own"], found["rollout"]["ownKnown"]) == ([{"node": "gpu-3", "pods": 1}], True)
    assert not found["rollout"]["fits"]


def test_the_first_replica_without_a_place_is_told_apart(folder):
    (folder / "cluster.yaml").write_text(CLUSTER.partition("running:")[0])
    (folder / "infer.yaml").write_text(WORKLOAD.replace("replicas: 1", "replicas: 5"))
    found = situations(folder)["next-replica"]
    assert found["own"] == [{"node": f"gpu-{number}", "pods": 1} for number in (1, 2, 3)]
    assert "As replica 4 of 5, beside 3 others on gpu-[1-3]" in explain(folder, "-i", "cluster.yaml").out


def test_a_quota_that_refuses_is_told_before_the_scheduler(folder):
    quota = "resourceQuotas:\n  - {name: gpus, namespace: vision, hard: {requests.nvidia.com/gpu: 1}}\n"
    (folder / "cluster.yaml").write_text(CLUSTER + quota)
    found = situations(folder)["creation"]
    assert "exceeded quota: gpus" in found["refusal"]
    assert [one["text"] for one in found["quotas"]] == [
        "ResourceQuota vision/gpus allows requests.nvidia.com/gpu=2 (now 1)"
    ]


def test_a_daemon_set_tolerates_what_its_controller_adds(folder):
    text = WORKLOAD.replace("kind: Deployment", "kind: DaemonSet").replace("  replicas: 1\n", "")
    (folder / "infer.yaml").write_text(text.replace("nvidia.com/gpu: 2", "cpu: 1"))
    (folder / "cluster.yaml").write_text(
        CLUSTER.replace("maintenance=now", "node.kubernetes.io/disk-pressure").replace("count: 2, priority", "priority")
    )
    found = situations(folder, what="ds/infer")
    assert list(found) == ["creation"]
    assert [len(one["nodes"]) for one in found["creation"]["classes"]] == [4]


def test_another_replica_is_no_old_pod(tmp_path):
    text = explained(tmp_path, "statefulset/s", workload("StatefulSet", "s", 2, 2, spec="  serviceName: s\n"), ("l", 2))
    assert "held by another pod of its own: 2 nvidia.com/gpu" in text
    assert "would fit if • another pod of its own ends" in text
    assert "old pod" not in text
    assert text.endswith("rollout cannot end: only 1 of 2 replicas can run; kubelint-gpu check says why")
    text = explained(tmp_path, "job/j", workload("Job", "j", 4, 1, pod="      restartPolicy: Never\n"), ("l", 2))
    assert "held by 2 other pods of its own: 2 nvidia.com/gpu" in text
    assert "old pod" not in text


def test_where_old_pods_were_put_stands_in_brackets(tmp_path):
    text = explained(tmp_path, "deployment/a", workload("Deployment", "a", 2, 1), ("l", 1), ("s", 1))
    assert "beside 2 old pods on l, s (the first nodes that take them): the new pod fits on none of 2 nodes" in text


def test_the_pods_of_a_daemon_set_run_beside_the_old_pods(tmp_path):
    daemons = workload("DaemonSet", "g", 1, 1).replace("  replicas: 1\n", "")
    text = explained(tmp_path, "deployment/a", workload("Deployment", "a", 1, 1) + daemons, ("l", 2))
    assert "beside the old pod on l: the new pod fits on none of 1 node" in text
    assert "held by DaemonSet d/g: 1 nvidia.com/gpu, priority 0; the old pod: 1 nvidia.com/gpu" in text
    assert text.endswith("rollout never ends by itself beside DaemonSet d/g; kubelint-gpu check says why")
    only = workload("DaemonSet", "g", 1, 1, pod="      nodeSelector: {kubernetes.io/hostname: l}\n")
    only = only.replace("  replicas: 1\n", "")
    text = explained(tmp_path, "deployment/a", workload("Deployment", "a", 1, 1) + only, ("l", 1), ("s", 1))
    assert "In a rollout, beside the old pod on s: the new pod fits on none of 2 nodes" in text
    assert "held by DaemonSet d/g on l: 1 nvidia.com/gpu, priority 0; the old pod on s: 1 nvidia.com/gpu" in text


@pytest.mark.parametrize(("gpus", "placed", "full"), [(1, 1, True), (2, 2, False)])
def test_replicas_are_placed_until_the_nodes_are_full(gpus, placed, full):
    found = unit(deployment(spec="replicas: 2"), GPU_NODE % gpus)
    workload = found.subjects[0].workload
    pods, is_full = filled(workload, found.running)
    assert ([name for _, name in pods], is_full) == (["gpu-1"] * placed, full)
    assert len(with_placed(found.running, pods).pods) == placed
    assert pods[0][0].meta.name == "chat-old-0"
    assert created_like(workload, "new").meta.owner.name == "chat"


def test_pods_of_daemon_sets_run_already_in_a_rollout():
    daemons = deployment(name="agent", limits="{cpu: 1}").replace("kind: Deployment", "kind: DaemonSet")
    found = unit(f"{deployment()}---\n{daemons}", GPU_NODE % 1)
    assert len(with_daemons(found, found.subjects[0], found.running).pods) == 1
    assert with_daemons(found, found.subjects[1], found.running) is found.running


HOOK = """
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, namespace: vision, annotations: {helm.sh/hook: %s}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: a, resources: {limits: {nvidia.com/gpu: 2}}}]
"""


@pytest.mark.parametrize(
    ("hook", "moments"),
    [
        ("pre-upgrade", ["creation", "upgrade"]),
        ("'pre-install,pre-upgrade'", ["creation", "upgrade"]),
        ("pre-install", ["creation"]),
        ("post-upgrade", ["creation"]),
    ],
)
def test_a_hook_before_an_upgrade_runs_beside_the_old_pods(folder, hook, moments):
    (folder / "cluster.yaml").write_text(CLUSTER.partition("running:")[0])
    (folder / "infer.yaml").write_text(WORKLOAD.replace("replicas: 1", "replicas: 2") + HOOK % hook)
    found = situations(folder, what="Job/migrate")
    assert list(found)[:2] == moments
    if "upgrade" in found:
        assert found["upgrade"]["own"] == [{"node": "gpu-1", "pods": 1}, {"node": "gpu-2", "pods": 1}]
        assert of(found["upgrade"], "gpu-1")["holders"][0]["owner"] == "Deployment/vision/infer"
