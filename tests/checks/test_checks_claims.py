"""Claims that one pod, or one node, can use: named behind what else is held, and judged by what is known of them."""

from __future__ import annotations

import pytest
from checks_units import NODES, deployment, findings

CLAIM = (
    "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: serving}\n"
    "spec: {accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}}\n"
)
MOUNTED = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"
PORT = "ports: [{containerPort: 80, hostPort: 80}]"
TWO = NODES.replace("name: cpu-1", "name: gpu-2").replace(
    "    allocatable: {cpu: 16, memory: 64Gi}\npriority",
    "    allocatable: {cpu: 16, memory: 64Gi}\n    gpus: {model: L4, count: 1}\npriority",
)


def only(found, code):
    (one,) = [one for one in found if one.code == code]
    return one


def test_a_claim_behind_a_gpu_is_named_and_its_line_told():
    found = only(findings(deployment(pod=MOUNTED) + CLAIM), "KLG101")
    assert found.message == (
        "the rollout never ends: the new pod waits for 1 nvidia.com/gpu on gpu-1 and for claim data (ReadWriteOncePod), "
        "held by the old pod, and the old pod is kept until the new one is available"
    )
    assert "the claim is ReadWriteOncePod: one pod at a time" in [one.message for one in found.related]
    assert found.certainty == "certain"
    assert all(fix.verified for fix in found.fixes)
    assert "on gpu-1 (0 of 1 free) and for claim data" in found.cycle[0]
    # the scheduler does not look at the claim of a pod that lacks a GPU
    assert "PersistentVolumeClaim" not in "".join(step.message for step in found.trace)


def test_a_claim_behind_a_port_is_named():
    found = only(
        findings(deployment(pod=f"{MOUNTED}\nnodeSelector: {{pool: gpu}}", limits="{cpu: 1}", more=PORT) + CLAIM),
        "KLG102",
    )
    assert "waits for host port 80 on gpu-1 and for claim data (ReadWriteOncePod), held by the old pod" in found.message


def test_a_fix_that_cures_the_gpu_and_not_the_claim_is_not_offered():
    pinned = "nodeSelector: {pool: gpu, kubernetes.io/hostname: gpu-1}"
    inventory = TWO.replace("labels: {pool: gpu}", "labels: {pool: gpu, kubernetes.io/hostname: gpu-1}")
    inventory = inventory.replace(
        "name: gpu-2\n", "name: gpu-2\n    labels: {pool: gpu, kubernetes.io/hostname: gpu-2}\n"
    )
    free = only(findings(deployment(pod=pinned), inventory), "KLG101")
    assert any(fix.title.startswith("select") for fix in free.fixes)
    held = only(findings(deployment(pod=f"{pinned}\n{MOUNTED}") + CLAIM, inventory), "KLG101")
    assert [fix.title.partition(",")[0] for fix in held.fixes] == [
        "set maxSurge: 0 and maxUnavailable: 1",
        "set strategy type: Recreate",
    ]


def test_a_claim_that_is_shared_holds_nothing():
    shared = CLAIM.replace("ReadWriteOncePod", "ReadWriteMany")
    found = only(findings(deployment(pod=MOUNTED) + shared), "KLG101")
    assert "claim" not in found.message


def test_only_the_users_of_the_claim_for_one_pod_hold_it():
    both = (
        "volumes: [{name: a, persistentVolumeClaim: {claimName: data}}, "
        "{name: b, persistentVolumeClaim: {claimName: shared}}]"
    )
    shared = CLAIM.replace("name: data", "name: shared").replace("ReadWriteOncePod", "ReadWriteMany")
    other = deployment(
        name="other", pod="volumes: [{name: b, persistentVolumeClaim: {claimName: shared}}]", limits="{cpu: 1}"
    )
    found = findings(deployment(pod=both, limits="{cpu: 1}") + CLAIM + shared + "---\n" + other)
    assert "waits for claim data (ReadWriteOncePod), used by the old pod, and" in only(found, "KLG104").message


def stateful_set(pod="", spec=""):
    return deployment(spec=f"replicas: 2\nserviceName: chat\n{spec}", pod=pod, limits="{cpu: 1}").replace(
        "kind: Deployment", "kind: StatefulSet"
    )


def test_claims_of_a_template_are_for_one_ordinal_each():
    template = (
        "volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOncePod], "
        "resources: {requests: {storage: 1Gi}}}}]"
    )
    assert [one.code for one in findings(stateful_set(spec=template)) if one.code.startswith("KLG1")] == []


def test_one_claim_for_one_pod_stops_a_set_at_its_first_pod():
    found = only(findings(stateful_set(MOUNTED) + CLAIM), "KLG111")
    assert found.message == (
        "only 1 of 2 replicas can run, and while chat-1 is not ready no change of the template reaches any pod: the next "
        "one waits for claim data (ReadWriteOncePod), used by its other pods"
    )


def test_a_quota_that_wants_requests_is_answered_with_these_and_stops_no_template():
    quota = (
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\n"
        "spec: {hard: {requests.memory: 100Gi}}\n"
    )
    found = only(findings(stateful_set() + quota), "KLG111")
    assert found.message == (
        "none of its 2 replicas can run: each is refused by quota q, which demands requests.memory"
    )
    assert found.help == ("set the requests and limits that the quota counts, or declare a LimitRange that sets them",)


@pytest.mark.parametrize(("where", "certainty"), [("gpu-1", "certain"), ("", "possible")])
def test_a_volume_attached_to_a_known_node_keeps_the_new_pod_from_further_nodes(where, certainty):
    bound = (
        "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\n"
        "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], csi: {driver: d, volumeHandle: h}}\n"
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: serving, "
        'annotations: {pv.kubernetes.io/bind-completed: "yes"}}\n'
        "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, volumeName: v}\n"
        "status: {phase: Bound}\n"
    )
    running = (
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: chat-1, namespace: serving, labels: {app: chat}, "
        "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: chat-1, uid: u, controller: true}]}\n"
        f"spec:\n  nodeName: {where}\n  priorityClassName: serving\n  {MOUNTED}\n"
        "  containers: [{name: main, image: i:1, resources: {limits: {nvidia.com/gpu: 1}}}]\n"
        "status: {phase: Running}\n"
    )
    inventory = NODES + "complete: false\n" + bound + (running if where else "")
    assert only(findings(deployment(pod=MOUNTED), inventory), "KLG101").certainty == certainty


APART = (
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: chat}}}]}}"
)


@pytest.mark.parametrize(
    ("pod", "more", "code", "told"),
    [
        ("", PORT, "KLG102", "for host port 80 and 1 nvidia.com/gpu on gpu-1, held by the old pod, and the old pod is"),
        (
            APART,
            "",
            "KLG101",
            (
                "for 1 nvidia.com/gpu on gpu-1, held by the old pod, and for a place where its anti-affinity keeps it apart "
                "from the old pod, and the old pod is kept"
            ),
        ),
        (
            f"{APART}\n{MOUNTED}",
            PORT,
            "KLG102",
            (
                "for host port 80 and 1 nvidia.com/gpu on gpu-1 and for claim data (ReadWriteOncePod), held by the old pod, and "
                "for a place where its anti-affinity keeps it apart from the old pod, and the old pod is kept"
            ),
        ),
    ],
    ids=["port", "apart", "all"],
)
def test_everything_that_the_old_pod_holds_is_named(pod, more, code, told):
    inventory = NODES.replace("labels: {pool: gpu}", "labels: {pool: gpu, kubernetes.io/hostname: gpu-1}")
    claim = CLAIM if MOUNTED in pod else ""
    found = only(findings(deployment(pod=pod, more=more) + claim, inventory), code)
    assert told in found.message
    assert [fix.title.partition(",")[0] for fix in found.fixes] == [
        "set maxSurge: 0 and maxUnavailable: 1",
        "set strategy type: Recreate",
    ]


def test_a_claim_that_keeps_a_pod_off_every_node_is_told_once():
    inventory = TWO.replace("labels: {pool: gpu}", "labels: {pool: gpu, kubernetes.io/hostname: gpu-1}")
    found = only(findings(deployment(pod=f"{APART}\n{MOUNTED}", limits="{cpu: 1}") + CLAIM, inventory), "KLG104")
    assert "the new pod waits for claim data (ReadWriteOncePod), used by the old pod, and the old" in found.message
