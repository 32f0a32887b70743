"""What a captured cluster shows of a workload counts, whatever the manifest before this change says."""

from __future__ import annotations

import pytest
from change_cases import KEEPS, RECREATE, findings_of, inventory, made

CLASS = "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: system-node-critical}\nvalue: 2000001000\n"
SYSTEM = "---\n{apiVersion: v1, kind: Namespace, metadata: {name: kube-system}}\n"
NONE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: none}\n"
IMAGE = "registry.example.com/main:1"


def pod(name="a-7d-1", *, owner="ReplicaSet/a-7d", image=IMAGE, labels="app: a, pod-template-hash: 7d", gpus=1):
    """A pod that runs on `n1`, as an API server shows it."""
    kind, owner_name = owner.split("/")
    return (
        f"---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  namespace: serving\n  labels: {{{labels}}}\n"
        f"  ownerReferences: [{{apiVersion: apps/v1, kind: {kind}, name: {owner_name}, uid: u, controller: true}}]\n"
        "spec:\n  nodeName: n1\n  priority: 1000\n  priorityClassName: serving\n  containers:\n"
        f"    - {{name: main{f', image: {image}' if image else ''}, "
        f"resources: {{limits: {{nvidia.com/gpu: {gpus}}}, requests: {{nvidia.com/gpu: {gpus}}}}}}}\n"
        "status: {phase: Running}\n"
    )


OTHER = pod("x-7d-1", owner="ReplicaSet/x-7d", labels="app: x, pod-template-hash: 7d", gpus=0)


def said(before, after, cluster):
    """The findings about rollouts, as (code, name, severity, moment)."""
    found = findings_of(before, after, cluster)
    return [
        (one.code, one.object.rpartition("/")[2], one.severity, one.moment)
        for one in found
        if one.code.startswith("KLG1") and one.severity != "note"
    ]


@pytest.mark.parametrize(
    ("image", "severity", "moment"),
    [(IMAGE, "warning", "next"), ("registry.example.com/main:0", "error", "now"), ("", "warning", "now")],
)
def test_what_is_new_to_the_manifests_rolls_only_if_its_pods_are_of_another_template(image, severity, moment):
    running = inventory(1, more=CLASS + pod(image=image))
    assert said(NONE, made("a"), running) == [("KLG101", "a", severity, moment)]


def test_a_daemon_set_that_only_the_cluster_has_rolls_nothing_out():
    surge = "updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n"
    daemon = pod("d-1", owner="DaemonSet/d", labels="app: d, controller-revision-hash: 7d")
    running = inventory(1, more=CLASS + daemon)
    assert said(NONE, made("d", surge, kind="DaemonSet"), running) == [("KLG110", "d", "warning", "next")]


@pytest.mark.parametrize("whole", [CLASS, SYSTEM])
def test_a_workload_without_a_pod_was_scaled_to_0_by_hand(whole):
    before, after = made("a", replicas=2), made("a", replicas=2, more="args: [x]")
    assert said(before, after, inventory(2, more=whole + OTHER)) == []
    assert said(before, after, inventory(1, more=whole + OTHER)) == [("KLG109", "a", "error", "now")]
    assert said(before, after, inventory(2, more=OTHER)) == [("KLG101", "a", "error", "now")]


def test_a_dump_without_any_pod_of_the_namespace_leaves_open_what_runs():
    before, after = made("a", replicas=2), made("a", replicas=2, more="args: [x]")
    assert said(before, after, inventory(2, more=CLASS)) == [("KLG101", "a", "warning", "now")]


def test_another_workload_that_was_scaled_to_0_by_hand_holds_nothing():
    both = made("a", RECREATE) + made("b", RECREATE)
    running = inventory(2, more=CLASS + pod())
    assert said(both, both.replace("main:1", "main:2"), running) == []
    assert said(made("a", KEEPS), made("a", KEEPS, more="args: [x]"), running) == []


def test_a_renamed_deployment_may_take_over_what_its_predecessor_left():
    renamed = made("b").replace("app: b", "app: a")
    running = inventory(1, more=CLASS + pod())
    assert said(NONE, renamed, running) == [("KLG109", "b", "warning", "now")]
    # the owner is still applied, and keeps its pods
    assert ("KLG109", "b", "error", "now") in said(made("a"), renamed + made("a"), running)
    assert said(NONE, made("b"), running) == [("KLG109", "b", "error", "now")]


def revisions(most, kind, used):
    return (
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\n"
        f"spec: {{hard: {{count/{kind}: {most}}}}}\nstatus: {{used: {{count/{kind}: {used}}}}}\n"
    )


@pytest.mark.parametrize(
    ("more", "used", "severity"),
    [("", 2, "warning"), ("revisionHistoryLimit: 0\n", 2, "error"), ("", 1, "error")],
)
def test_a_template_that_was_rolled_out_before_may_have_its_replica_set_already(more, used, severity):
    before, after = made("a", f"{KEEPS}{more}"), made("a", f"{KEEPS}{more}", more="args: [x]")
    running = inventory(2, more=CLASS + pod() + revisions(used, "replicasets.apps", used))
    assert ("KLG105", "a", severity, "now") in said(before, after, running)


def test_a_renamed_deployment_may_take_over_a_replica_set_that_no_quota_lets_it_make():
    running = inventory(2, more=CLASS + pod() + revisions(1, "replicasets.apps", 1))
    told = said(NONE, made("b").replace("app: b", "app: a"), running)
    assert ("KLG105", "b", "warning", "now") in told
