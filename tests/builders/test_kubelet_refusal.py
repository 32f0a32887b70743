"""Templates that name their node: the kubelet takes the pods or fails them, and rollouts hang on that."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings, unit

from kubelint_gpu.analysis.rollout_facts import judgements_in

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - name: gpu-1
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: 1}
  - name: gpu-2
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: 4}
  - name: cpu-1
    allocatable: {cpu: 4, memory: 64Gi}
priorityClasses:
  - {name: serving, value: 1000}
  - {name: low, value: 1}
"""
GIVES = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"
PORT = "ports: [{containerPort: 80, hostPort: 8080}]"


def named(node, more=""):
    return f"nodeName: {node}\n{more}"


def rollouts(text, inventory=NODES):
    return [one for one in findings(text, inventory) if one.code.startswith("KLG1")]


def test_a_surge_onto_a_full_node_that_is_named_never_ends_and_the_kubelet_fails_pod_after_pod():
    (found,) = rollouts(deployment(pod=named("gpu-1")))
    assert (found.code, found.severity, found.certainty, found.scheduler) == ("KLG101", "error", "certain", None)
    assert found.message == (
        "the rollout never ends: the kubelet of gpu-1 fails each new pod with UnexpectedAdmissionError (nvidia.com/gpu "
        "held by the old pod), and the old pod is kept until the new one is available"
    )
    assert ("kubelet on gpu-1", "fails the new pod with UnexpectedAdmissionError; the next one is made at once") in [
        (step.actor, step.message) for step in found.trace
    ]
    assert "kube-scheduler" not in {step.actor for step in found.trace}
    assert "set maxSurge: 0 and maxUnavailable: 1" in found.fixes[0].title


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (deployment(spec=GIVES, pod=named("gpu-1")), []),
        (deployment(pod=named("gpu-2")), []),
        (deployment(pod=named("cpu-1")), []),
        (deployment(pod=named("cpu-1"), limits="{cpu: 3}"), ["KLG101"]),
        (deployment(pod=named("gpu-2"), more=PORT), ["KLG102"]),
        (deployment(pod=named("nowhere")), []),
        (deployment(spec="replicas: 2", pod=named("gpu-1")), []),
    ],
    ids=["gives", "room", "unknown-resource", "cpu", "port", "no-node", "more-than-fit"],
)
def test_what_the_kubelet_looks_at_decides(text, codes):
    assert [one.code for one in rollouts(text)] == codes


def test_taints_and_affinity_to_pods_are_not_looked_at():
    tainted = NODES.replace("count: 4}\n", "count: 4}\n    taints: [{key: gpu, effect: NoSchedule}]\n")
    apart = (
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: chat}}}]}}\n"
    )
    judged = unit(deployment(pod=named("gpu-2", apart)), tainted)
    (found,) = judgements_in(judged).values()
    assert (str(found.verdict), found.room.placed) == ("Verdict.COMPLETES", 1)


def test_pods_on_a_named_node_take_room_from_others():
    both = deployment(pod=named("gpu-1"), spec=GIVES) + "---\n" + deployment(name="b", pod="nodeSelector: {on: one}")
    nodes = NODES.replace("  - name: gpu-1\n", "  - name: gpu-1\n    labels: {on: one}\n").replace(
        "count: 1}", "count: 2}"
    )
    (found,) = rollouts(both, nodes)
    assert (found.code, found.object) == ("KLG101", "Deployment/serving/b")
    assert "held by the old pod and Deployment serving/chat" in found.message


def daemon_set(node="gpu-1", rolling="maxSurge: 1, maxUnavailable: 0", spec="", limits="{nvidia.com/gpu: 1}"):
    return (
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent, namespace: serving}\nspec:\n"
        "  selector: {matchLabels: {app: agent}}\n"
        f"  updateStrategy: {{type: RollingUpdate, rollingUpdate: {{{rolling}}}}}\n"
        "  template:\n    metadata: {labels: {app: agent}}\n"
        f"    spec: {{priorityClassName: serving, nodeName: {node}, {spec}"
        f"containers: [{{name: main, image: i, resources: {{limits: {limits}}}}}]}}\n"
    )


def job(limits="{nvidia.com/gpu: 1}", spec="", node="gpu-1"):
    return (
        f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: train, namespace: serving}}\nspec:\n  {spec}\n"
        "  template:\n    spec:\n      restartPolicy: Never\n      priorityClassName: serving\n"
        f"      nodeName: {node}\n      containers: [{{name: main, image: i, resources: {{limits: {limits}}}}}]\n"
    )


def lone(limits="{nvidia.com/gpu: 1}"):
    return (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: lone, namespace: serving}\nspec:\n  priorityClassName: serving\n"
        f"  nodeName: gpu-1\n  containers: [{{name: main, image: i, resources: {{limits: {limits}}}}}]\n"
    )


def named_node(text, inventory=NODES):
    return [one for one in findings(text, inventory) if one.code == "KLG207"]


def test_a_daemon_set_that_names_its_node_and_surges_never_ends_its_rollout():
    (found,) = rollouts(daemon_set())
    assert (found.code, found.severity, found.scheduler) == ("KLG110", "error", None)
    assert "the kubelet of gpu-1 fails each new pod with UnexpectedAdmissionError (nvidia.com/gpu held by the old" in (
        found.message
    )
    assert any("FailedDaemonPod" in one for one in found.help)
    assert "it is deleted and made anew" in str(found.trace)
    assert [fix.verified for fix in found.fixes] == [True]


def test_a_daemon_set_that_lets_the_old_pod_go_first_or_finds_room_beside_it_ends():
    assert rollouts(daemon_set(rolling="maxUnavailable: 1")) == []
    assert rollouts(daemon_set("gpu-2")) == []


def test_the_controller_of_a_daemon_set_looks_at_taints_and_labels_before_it_makes_a_pod_for_the_named_node():
    tainted = NODES.replace("count: 4}\n", "count: 4}\n    taints: [{key: gpu, effect: NoSchedule}]\n")
    for text, inventory in (
        (daemon_set("gpu-2"), tainted),
        (daemon_set("gpu-2", spec="nodeSelector: {disk: ssd}, "), NODES),
    ):
        (found,) = named_node(text, inventory)
        assert "looks at taints, nodeSelector and affinity itself, and makes no pod for this node" in found.message
        assert rollouts(text, inventory) == []
    (found,) = named_node(daemon_set("nowhere"))
    assert "no such node, and no pod is made for any other" in found.message


@pytest.mark.parametrize(
    ("text", "then"),
    [
        (job(spec="parallelism: 2"), "with 7 failed pods the Job fails (backoffLimit is 6 by default)"),
        (
            job(limits="{nvidia.com/gpu: 2}", spec="backoffLimit: 0"),
            "with 1 failed pod the Job fails (backoffLimit is 0)",
        ),
        (
            job(spec="completions: 2\n  parallelism: 2\n  completionMode: Indexed\n  backoffLimitPerIndex: 1"),
            "an index of which 2 pods failed is not tried again",
        ),
        (lone("{nvidia.com/gpu: 2}"), "the pod stays Failed: nothing makes it anew"),
        (deployment(pod=named("gpu-1"), limits="{nvidia.com/gpu: 2}"), "the next one is made at once"),
        (daemon_set(limits="{nvidia.com/gpu: 2}"), "FailedDaemonPod"),
    ],
    ids=["job", "no-retry", "per-index", "pod", "deployment", "daemon-set"],
)
def test_what_becomes_of_a_pod_that_the_kubelet_fails_is_told_by_the_kind_that_made_it(text, then):
    (found,) = named_node(text)
    assert "UnexpectedAdmissionError: too few nvidia.com/gpu" in found.message
    assert any(then in one for one in found.help)


def test_pods_that_name_one_node_and_do_not_all_fit_there_are_told_though_each_would_fit_alone():
    text = deployment(pod=named("gpu-1"), spec=GIVES) + "---\n" + lone()
    assert [one.object for one in named_node(text) if "kubelet of gpu-1 fails its pod" in one.message] == [
        "Deployment/serving/chat",
        "Pod/serving/lone",
    ]


def test_a_pod_that_names_its_node_holds_what_others_want_there():
    text = lone() + "---\n" + deployment(name="b", pod="nodeSelector: {on: one}")
    nodes = NODES.replace("  - name: gpu-1\n", "  - name: gpu-1\n    labels: {on: one}\n")
    found = rollouts(text, nodes)
    assert {(one.code, one.object) for one in found} == {
        (code, "Deployment/serving/b") for code in ("KLG101", "KLG109")
    }


def test_a_job_that_names_a_node_which_another_fills_for_good_fails_instead_of_waiting():
    text = deployment(pod=named("gpu-1"), spec=GIVES) + "---\n" + job()
    (found,) = rollouts(text)
    assert (found.code, found.object) == ("KLG109", "Job/serving/train")
    assert found.message.endswith("while Deployment serving/chat runs: the kubelet of gpu-1 fails each of them")
    assert "with 7 failed pods the Job fails" in found.help[0]


LOCAL = """---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: local}
provisioner: example.com/local
volumeBindingMode: WaitForFirstConsumer
"""
CLAIM = """---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: serving}
spec: {accessModes: [ReadWriteOnce], storageClassName: local, resources: {requests: {storage: 1Gi}}}
"""
KEPT = """---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  claimRef: {namespace: serving, name: data}
  storageClassName: local
"""
VOLUMES = "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]\n"


@pytest.mark.parametrize(
    ("text", "inventory", "told"),
    [
        (deployment(pod=named("gpu-1", VOLUMES)), LOCAL, True),
        (deployment(pod=named("gpu-1", VOLUMES)), LOCAL.replace("WaitForFirstConsumer", "Immediate"), False),
        (deployment(pod=named("gpu-1", VOLUMES)), LOCAL + KEPT, False),
        (deployment(pod=named("gpu-1", VOLUMES)) + "---\n" + deployment(pod=VOLUMES, name="b"), LOCAL, False),
        (deployment(pod=named("gpu-1")), LOCAL, False),
    ],
)
def test_a_volume_that_is_made_where_a_scheduler_puts_the_pod_is_never_made_where_none_does(text, inventory, told):
    (one, *_) = findings(f"{text}{CLAIM}", f"{NODES}{inventory}", "KLG207")
    assert ("claim data waits for a scheduler to choose the node" in one.message) is told
