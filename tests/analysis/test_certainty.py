"""What further nodes could change is possible; what no node could change is certain, whatever the inventory leaves open."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings

OPEN = """
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
complete: false
nodes:
  - name: n1
    labels: {kubernetes.io/hostname: n1, zone: a, gpu: l4}
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: 1}
  - name: n2
    labels: {kubernetes.io/hostname: n2, zone: a}
    allocatable: {cpu: 16, memory: 64Gi}
priorityClasses:
  - {name: serving, value: 1000}
"""
GROWS = """
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
pools:
  - name: l4
    count: 1
    autoscaling: {min: 1, max: 40}
    template:
      allocatable: {cpu: 16, memory: 64Gi}
      gpus: {model: L4, count: 1}
priorityClasses:
  - {name: serving, value: 1000}
"""
PIN = "nodeSelector: {kubernetes.io/hostname: n1}"
NAMED = (
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
    "[{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}}}"
)
ZONE = "nodeSelector: {zone: a}"
BEYOND = "unless there are nodes beyond the inventory, "


def quota(most, key="requests.nvidia.com/gpu"):
    return (
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\n"
        f'spec: {{hard: {{{key}: "{most}"}}}}\n'
    )


def volume(modes="ReadWriteOnce", where="", kind="csi: {driver: d, volumeHandle: h}"):
    affinity = (
        f"  nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{where}]}}]}}}}\n" if where else ""
    )
    return (
        "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\n"
        f"spec:\n  capacity: {{storage: 1Gi}}\n  accessModes: [{modes}]\n  {kind}\n{affinity}"
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: serving, "
        'annotations: {pv.kubernetes.io/bind-completed: "yes"}}\n'
        f"spec: {{accessModes: [{modes}], resources: {{requests: {{storage: 1Gi}}}}, volumeName: v}}\n"
        "status: {phase: Bound}\n"
    )


MOUNTED = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"


def host(name):
    return f"{{key: kubernetes.io/hostname, operator: In, values: [{name}]}}"


def only(found, code):
    (one,) = [one for one in found if one.code == code]
    return one


@pytest.mark.parametrize(
    ("text", "inventory", "code"),
    [
        (deployment(pod=PIN), OPEN, "KLG101"),
        (deployment(pod=NAMED), OPEN, "KLG101"),
        (deployment(pod="nodeName: n1"), OPEN, "KLG101"),
        (deployment() + quota(1), OPEN, "KLG105"),
        (deployment() + quota(1), GROWS, "KLG105"),
        (deployment(pod=MOUNTED), OPEN + volume(where=host("n1")), "KLG101"),
        (deployment(pod=MOUNTED, limits="{cpu: 1}"), OPEN + volume("ReadWriteOncePod"), "KLG104"),
        (deployment(pod=MOUNTED), OPEN + volume("ReadWriteOncePod"), "KLG101"),
        (
            deployment(pod=f"{PIN}\nhostNetwork: true", limits="{cpu: 1}", more="ports: [{containerPort: 80}]"),
            OPEN,
            "KLG102",
        ),
        (
            deployment(
                spec="updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}", pod="nodeSelector: {gpu: l4}"
            ).replace("kind: Deployment", "kind: DaemonSet"),
            OPEN,
            "KLG110",
        ),
    ],
    ids=["host", "name", "node-name", "quota", "growing", "local", "one-pod", "one-pod-gpu", "port", "daemons"],
)
def test_a_rollout_that_no_further_node_helps_never_ends_for_certain(text, inventory, code):
    found = only(findings(text, inventory), code)
    assert (found.severity, found.certainty) == ("error", "certain")
    assert "never ends" in found.message
    assert BEYOND not in found.message


@pytest.mark.parametrize(
    ("text", "inventory", "code"),
    [
        (deployment(pod=ZONE), OPEN, "KLG101"),
        (deployment(pod=MOUNTED), OPEN + volume(where="{key: zone, operator: In, values: [a]}"), "KLG101"),
        (deployment() + quota(2), OPEN, "KLG101"),
    ],
    ids=["zone", "zonal-volume", "room-in-quota"],
)
def test_a_rollout_that_a_further_node_could_help_says_so(text, inventory, code):
    found = only(findings(text, inventory), code)
    assert (found.severity, found.certainty) == ("warning", "possible")
    assert found.message.startswith(BEYOND)


def test_who_is_bound_to_a_node_waits_for_others_that_may_be_elsewhere():
    held = deployment(name="other")
    pinned = deployment(pod=PIN, spec="strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}")
    found = findings(pinned + "---\n" + held, OPEN)
    assert {one.certainty for one in found if one.code == "KLG109"} == {"possible"}
    both = pinned + "---\n" + held.replace("    spec:\n", f"    spec:\n      {PIN}\n")
    # which of them waits is decided by who comes first
    assert {one.certainty for one in findings(both, OPEN) if one.code == "KLG109"} == {"possible"}


@pytest.mark.parametrize(
    ("text", "code", "certainty"),
    [
        (deployment(spec="replicas: 2", pod=PIN), "KLG109", "certain"),
        (deployment(spec="replicas: 2"), "KLG109", "possible"),
        (deployment(spec="replicas: 2", limits="{cpu: 1}") + quota(1, "pods"), "KLG109", "certain"),
        (
            deployment(spec="replicas: 2\nserviceName: chat", pod=PIN).replace("kind: Deployment", "kind: StatefulSet"),
            "KLG111",
            "certain",
        ),
        (
            deployment(spec="replicas: 2\nserviceName: chat").replace("kind: Deployment", "kind: StatefulSet"),
            "KLG111",
            "possible",
        ),
    ],
    ids=["bound", "free", "quota", "set-bound", "set-free"],
)
def test_replicas_that_no_further_node_takes_are_too_many_for_certain(text, code, certainty):
    assert only(findings(text, OPEN), code).certainty == certainty


@pytest.mark.parametrize(("pod", "certainty"), [(PIN, "certain"), (ZONE, "possible")])
def test_an_autoscaler_that_asks_for_more_than_declared_nodes_have(pod, certainty):
    text = deployment(spec="strategy: {type: Recreate}", pod=pod) + (
        "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: serving}\n"
        "spec: {minReplicas: 1, maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}}\n"
    )
    assert only(findings(text, OPEN), "KLG115").certainty == certainty


def budget(least):
    return (
        "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: serving}\n"
        f"spec: {{{least}, selector: {{matchLabels: {{app: chat}}}}}}\n"
    )


@pytest.mark.parametrize(
    ("text", "certainty", "told"),
    [
        (deployment() + budget("minAvailable: 1"), "certain", "allows no eviction even while its only pod is healthy"),
        (deployment(pod=PIN) + budget("minAvailable: 1"), "certain", "its pod finds no room on another node"),
        (
            deployment(spec="replicas: 2", limits="{cpu: 10}") + budget("minAvailable: 2"),
            "certain",
            "allows no eviction even while all 2 pods are healthy",
        ),
        (
            deployment(spec="replicas: 3", limits="{cpu: 10}") + budget("minAvailable: 2"),
            "possible",
            "allows no eviction",
        ),
    ],
    ids=["no-slack", "bound", "no-slack-of-two", "room-for-more"],
)
def test_a_budget_without_slack_blocks_a_drain_wherever_there_are_nodes(text, certainty, told):
    found = only(findings(text, OPEN), "KLG112")
    assert found.certainty == certainty
    assert told in found.message


def training(name, pods, pod=""):
    return (
        f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}, namespace: serving}}\nspec:\n"
        f"  parallelism: {pods}\n  completions: {pods}\n  template:\n    spec:\n      restartPolicy: Never\n{pod}"
        "      priorityClassName: serving\n      containers:\n        - name: main\n          image: i:1\n"
        "          command: [torchrun, --nnodes=2, train.py]\n          resources: {limits: {nvidia.com/gpu: 1}}\n---\n"
    )


@pytest.mark.parametrize(
    ("inventory", "quotas", "certainty"),
    [(OPEN, quota(2), "certain"), (GROWS, quota(2), "certain"), (OPEN.replace("count: 1", "count: 2"), "", "possible")],
    ids=["quota", "growing", "nodes"],
)
def test_jobs_hold_each_other_in_a_quota_whatever_nodes_there_are(inventory, quotas, certainty):
    inventory = inventory.replace("count: 1}", "count: 4}")
    text = training("one", 2) + training("two", 2) + quotas.removeprefix("---\n")
    assert only(findings(text, inventory), "KLG113").certainty == certainty


@pytest.mark.parametrize(("pod", "certainty"), [(f"      {PIN}\n", "certain"), ("", "possible")])
def test_a_job_that_never_has_all_its_pods(pod, certainty):
    assert only(findings(training("one", 2, pod), OPEN), "KLG113").certainty == certainty


@pytest.mark.parametrize(("pod", "certainty"), [(PIN, "certain"), (ZONE, "possible")])
def test_a_job_behind_what_runs_for_good(pod, certainty):
    job = training("one", 1, f"      {pod}\n")
    text = job + deployment(pod=pod, spec="strategy: {type: Recreate}")
    assert only([one for one in findings(text, OPEN) if one.object.startswith("Job")], "KLG109").certainty == certainty


def running(name, gpus, priority="serving"):
    return (
        f"  - {{name: {name}-1, namespace: serving, node: n1, gpus: {gpus}, labels: {{app: {name}}}, "
        f"priorityClassName: {priority}, owner: Deployment/serving/{name}}}\n"
    )


@pytest.mark.parametrize(("pod", "certainty"), [(PIN, "certain"), (ZONE, "possible")])
def test_rollouts_that_block_each_other_on_declared_nodes(pod, certainty):
    inventory = OPEN.replace("count: 1", "count: 4") + f"running:\n{running('chat', 1)}{running('other', 1)}"
    spec, limits = "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}", "{nvidia.com/gpu: 2}"
    both = [deployment(name=name, pod=pod, spec=spec, limits=limits) for name in ("chat", "other")]
    found = only(findings("---\n".join(both), inventory), "KLG106")
    assert found.certainty == certainty
    assert found.message.startswith(BEYOND) == (certainty == "possible")


@pytest.mark.parametrize(("pod", "certainty"), [(PIN, "certain"), (ZONE, "possible")])
def test_who_is_bound_to_a_node_evicts_there_whatever_nodes_there_are(pod, certainty):
    inventory = OPEN.replace("value: 1000}", "value: 1000}\n  - {name: low, value: 1}").replace("count: 1", "count: 2")
    inventory += f"running:\n{running('batch', 1, 'low')}"
    assert only(findings(deployment(pod=pod), inventory), "KLG108").certainty == certainty


@pytest.mark.parametrize(("pod", "certainty"), [(PIN, "certain"), (ZONE, "possible")])
def test_groups_of_a_custom_resource_on_declared_nodes(pod, certainty):
    text = (
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: l, namespace: serving}\nspec:\n"
        "  replicas: 1\n  rolloutStrategy: {type: RollingUpdate, rollingUpdateConfiguration: {maxUnavailable: 0, maxSurge: 1}}\n"
        f"  leaderWorkerTemplate:\n    size: 2\n    workerTemplate:\n      spec:\n        {pod}\n"
        "        priorityClassName: serving\n"
        "        containers: [{name: w, image: i:1, resources: {limits: {nvidia.com/gpu: 1}}}]\n"
    )
    assert only(findings(text, OPEN.replace("count: 1", "count: 2")), "KLG101").certainty == certainty
    assert only(findings(text, OPEN), "KLG109").certainty == certainty


@pytest.mark.parametrize("other", ["", "---\n" + deployment(name="other", limits="{cpu: 1}")])
def test_daemon_pods_without_room_on_declared_nodes_have_none_whatever_others_there_are(other):
    text = deployment(limits="{nvidia.com/gpu: 1}").replace("kind: Deployment", "kind: DaemonSet")
    found = only(findings(text + other, OPEN + "  - {name: full, value: 1}\n"), "KLG109")
    assert found.certainty == "certain"
    assert "1 finds no room (on n2)" in found.message


@pytest.mark.parametrize(("replicas", "certainty"), [(1, "certain"), (2, "possible")])
def test_where_old_pods_do_not_fit_the_declared_nodes_these_were_others_when_they_started(replicas, certainty):
    """Seen on a control plane 1.34: a node has lost its GPUs since, and an old pod runs there."""
    apart = (
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: chat}}}]}}\n"
    )
    before, after = (deployment(spec=f"replicas: {replicas}", pod=pod) for pod in (apart, ""))
    cluster = OPEN.replace("complete: false\n", "").replace("count: 1", f"count: {replicas}")
    found = findings(after, cluster, before=before)
    assert {one.certainty for one in found if one.code in ("KLG101", "KLG103", "KLG107")} == {certainty}
