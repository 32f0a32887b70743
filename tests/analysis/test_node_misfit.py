"""What is not known of a cluster narrows certainty and silences nothing: claims, and DaemonSets without GPUs."""

from __future__ import annotations

import pytest
from checks_units import NODES, deployment, findings

MOUNTED = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"
TAINTED = """apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
  - {name: cpu-1, allocatable: {cpu: 8, memory: 30Gi}}
  - {name: gpu-1, allocatable: {cpu: 8, memory: 30Gi}, gpus: {model: L4, count: 1}, taints: ["gpu=yes:NoSchedule"]}
priorityClasses: [{name: serving, value: 1000}]
"""
NEAR = (
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: %s}}}]}}"
)
HELPER = """running:
  - {name: helper, namespace: serving, node: cpu-1, labels: {app: helper}, requests: {cpu: 1}}
"""


def codes(found):
    return sorted({one.code for one in found} - {"KLG301"})


def only(found, code):
    (one,) = [one for one in found if one.code == code]
    return one


def daemon_set(pod="", cpu="1"):
    text = deployment(pod=pod, limits=f"{{cpu: {cpu}}}").replace("kind: Deployment", "kind: DaemonSet")
    return "\n".join(line for line in text.splitlines() if "replicas:" not in line) + "\n"


def test_a_claim_that_nobody_declared_hides_no_other_filter():
    found = only(findings(deployment(pod=MOUNTED, limits="{nvidia.com/gpu: 9}")), "KLG503")
    assert found.certainty == "certain"
    assert codes(findings(deployment(pod=MOUNTED))) == codes(findings(deployment()))


def test_a_volume_out_of_reach_of_the_gpu_is_told_at_the_claim():
    volume = (
        "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: serving, annotations: "
        '{pv.kubernetes.io/bind-completed: "yes"}}, spec: {accessModes: [ReadWriteOnce], volumeName: v}}\n'
        "---\n{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {accessModes: [ReadWriteOnce], "
        "capacity: {storage: 1Gi}, hostPath: {path: /v}, nodeAffinity: {required: {nodeSelectorTerms: "
        "[{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [cpu-1]}]}]}}}}\n"
    )
    found = only(findings(deployment(pod=MOUNTED), NODES + volume), "KLG201")
    assert "gpu-1 comes closest: it didn't match PersistentVolume's node affinity" in found.message


def test_a_daemon_set_that_chooses_no_node_is_told():
    gpu = 'nodeSelector: {nvidia.com/gpu.present: "true"}'
    found = only(findings(daemon_set(gpu), TAINTED), "KLG202")
    assert found.certainty == "certain"
    assert found.scheduler is None
    assert found.message.endswith("its controller makes no pod at all (DESIRED is 0), and no event says why")
    value = 'tolerations: [{key: gpu, operator: Equal, value: "no", effect: NoSchedule}]'
    (one,) = findings(daemon_set(f"{gpu}\n{value}"), TAINTED)
    assert (one.code, one.severity, one.certainty) == ("KLG202", "error", "certain")
    assert codes(findings(daemon_set(f"{gpu}\n{value.replace('no', 'yes')}"), TAINTED)) == []
    assert codes(findings(daemon_set("nodeSelector: {nvidia.com/gpu.presnt: yes}"), TAINTED)) != []
    assert codes(findings(daemon_set("nodeSelector: {kubernetes.io/os: windows}"), TAINTED)) == []


def test_a_daemon_set_for_no_node_is_an_error_where_the_nodes_that_it_is_meant_for_are_there():
    raw = TAINTED.replace("gpus: {model: L4, count: 1}", "labels: {pool: gpus}").replace(
        "gpu=yes", "nvidia.com/gpu=yes"
    )
    tolerates = "tolerations: [{operator: Exists}]"

    def severity(selector, cluster):
        return only(findings(daemon_set(f"nodeSelector: {selector}\n{tolerates}"), cluster), "KLG402").severity

    present = '{nvidia.com/gpu.present: "true"}'
    assert severity(present, raw) == "error"
    # no label says what these are for, and without a rollout that waits it may be meant so
    assert severity('{nvidia.com/mps.capable: "true"}', raw) == "warning"
    assert severity('{nvidia.com/gpu.present: "true", pool: others}', raw) == "warning"
    assert severity(present, raw.replace("nvidia.com/gpu=yes", "gpu=yes")) == "warning"
    kept = TAINTED.replace("gpus:", "labels: {pool: gpus}, gpus:")
    pinned = daemon_set("nodeSelector: {pool: gpus}")
    assert only(findings(pinned, kept), "KLG202").severity == "error"
    # the nodes are tainted since: what is changed now is not what keeps it from them
    older = pinned.replace("image: ", "image: older-")
    assert older != pinned
    assert only(findings(pinned, kept, before=older), "KLG202").severity == "warning"
    tolerant = daemon_set(f"nodeSelector: {{pool: gpus}}\n{tolerates}")
    assert only(findings(pinned, kept, before=tolerant), "KLG202").severity == "error"
    former = 'nodeSelector: {node-role.kubernetes.io/master: ""}'
    assert only(findings(daemon_set(former), kept), "KLG402").severity == "warning"
    renamed = kept.replace("pool: gpus", 'node-role.kubernetes.io/control-plane: ""')
    assert only(findings(daemon_set(former), renamed), "KLG402").severity == "error"


@pytest.mark.parametrize(
    "pod",
    [
        "",
        "nodeSelector: {kubernetes.io/os: linux}",
        (
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
            "[{matchExpressions: [{key: serverless, operator: NotIn, values: [virtual]}]}]}}}"
        ),
    ],
)
def test_a_daemon_set_for_all_nodes_is_a_warning_where_all_have_taints(pod):
    every = "\n".join(line for line in TAINTED.splitlines() if "cpu-1" not in line)
    assert only(findings(daemon_set(pod), every), "KLG202").severity == "warning"


def test_a_daemon_set_whose_pods_find_no_cpu_is_told():
    found = only(findings(daemon_set(cpu="9"), TAINTED), "KLG109")
    assert found.message == (
        "no pod that it makes for 1 node finds room (on cpu-1): each asks for 9 cpu, and no such node has more than 8, and it "
        "stays Pending"
    )
    assert codes(findings(daemon_set(cpu="8"), TAINTED)) == []


def test_a_pod_that_must_be_near_one_where_it_can_never_be():
    found = only(
        findings(deployment(pod=NEAR % "helper"), TAINTED.replace(', taints: ["gpu=yes:NoSchedule"]', "") + HELPER),
        "KLG410",
    )
    assert found.certainty == "certain"
    assert found.message == (
        "no node takes the pod beside Pod serving/helper: Insufficient nvidia.com/gpu on cpu-1; they must share "
        "kubernetes.io/hostname, and can only be on cpu-1"
    )
    model = deployment(name="model", pod="tolerations: [{key: gpu, operator: Exists}]")
    beside = deployment(name="cache", pod=NEAR % "model", limits="{cpu: 1}")
    pinned = beside.replace("affinity:", "nodeSelector: {kubernetes.io/hostname: cpu-1}\n      affinity:", 1)
    far = only(findings(model + "---\n" + pinned, TAINTED), "KLG410")
    assert "cache is bound by this" in [one.message for one in far.related]
    tolerant = beside.replace("affinity:", "tolerations: [{key: gpu, operator: Exists}]\n      affinity:", 1)
    assert "KLG410" not in codes(findings(model + "---\n" + tolerant, TAINTED))


def test_a_claim_that_a_known_storage_does_not_have_is_named():
    storage = (
        "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disk}, provisioner: d.io/csi}\n"
    )
    found = only(findings(deployment(pod=MOUNTED), NODES + storage), "KLG201")
    assert found.message == "its pods wait for claim data: neither the inventory nor the manifests have it"
    assert (found.severity, found.certainty) == ("warning", "possible")
    claim = CLAIM % "storageClassName: disk"
    assert findings(deployment(pod=MOUNTED) + claim, NODES + storage, "KLG201") == []


@pytest.mark.parametrize(("ordinal", "number"), [("0", 0), ("1", 0), ("2", 1), ("x", 1)])
def test_a_claim_that_a_stateful_set_makes_is_there(ordinal, number):
    storage = (
        "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disk}, provisioner: d.io/csi}\n"
    )
    maker = deployment(name="db", limits="{cpu: 1}", spec="serviceName: db\nreplicas: 2").replace(
        "Deployment", "StatefulSet"
    )
    maker += (
        "  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], storageClassName: disk, "
        "resources: {requests: {storage: 1Gi}}}}]\n"
    )
    user = deployment(pod=MOUNTED.replace("claimName: data", f"claimName: data-db-{ordinal}"), limits="{cpu: 1}")
    assert len(findings(f"{maker}---\n{user}", NODES + storage, "KLG201")) == number


def test_a_storage_class_that_a_known_storage_does_not_have_is_named():
    storage = (
        "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disk}, provisioner: d.io/csi}\n"
    )
    claim = (
        "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: serving}, "
        "spec: {storageClassName: %s}}\n"
    )
    found = only(findings(deployment(pod=MOUNTED) + claim % "fast", NODES + storage), "KLG201")
    assert found.message == (
        "its pods wait for a volume of claim data: neither the inventory nor the manifests have StorageClass fast"
    )
    assert (found.severity, found.certainty) == ("warning", "possible")
    assert findings(deployment(pod=MOUNTED) + claim % "disk", NODES + storage, "KLG201") == []
    volume = "---\n{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {storageClassName: fast}}\n"
    assert findings(deployment(pod=MOUNTED) + claim % "fast", NODES + storage + volume, "KLG201") == []


def test_a_queue_that_the_namespace_does_not_have_is_named():
    labels = "labels: {kueue.x-k8s.io/queue-name: team}"
    job = deployment().replace("metadata: {", f"metadata: {{{labels}, ", 1)
    queue = "---\n{apiVersion: kueue.x-k8s.io/v1beta1, kind: %s, metadata: {name: team%s}, spec: {}}\n"
    assert "KLG206" in codes(findings(job + queue % ("ClusterQueue", "")))
    local = queue % ("LocalQueue", ", namespace: serving")
    assert "KLG206" not in codes(findings(job + queue % ("ClusterQueue", "") + local))
    assert "KLG206" not in codes(findings(job))


SCRATCH = "volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {%saccessModes: [ReadWriteOnce]}}}}]"
STORAGE = "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disk}, provisioner: %s%s}\n"
WAITS = ", volumeBindingMode: WaitForFirstConsumer"


def test_the_claim_of_an_ephemeral_volume_is_made_with_the_pod():
    manifest = deployment(pod=SCRATCH % "storageClassName: disk, ")
    for storage in ("", STORAGE % ("d.io/csi", WAITS), STORAGE % ("d.io/csi", "")):
        assert "KLG201" not in codes(findings(manifest, NODES + storage))
    found = only(findings(manifest, NODES + STORAGE % ("kubernetes.io/no-provisioner", WAITS)), "KLG201")
    assert found.message.endswith("didn't find available persistent volumes to bind")
    unknown = deployment(pod=SCRATCH % "storageClassName: fast, ")
    found = only(findings(unknown, NODES + STORAGE % ("d.io/csi", WAITS)), "KLG201")
    assert found.message == (
        "its pods wait for a volume of claim v: neither the inventory nor the manifests have StorageClass fast"
    )


def test_a_pod_with_an_ephemeral_volume_is_judged_by_all_else():
    manifest = deployment(pod=SCRATCH % "storageClassName: disk, ")
    nothing = NODES.replace("gpus: {model: L4, count: 1}", "taints: []")
    assert "KLG502" in codes(findings(manifest, nothing + STORAGE % ("d.io/csi", WAITS)))


def test_a_daemon_set_that_asks_for_what_no_node_has_makes_pods_that_stay_pending():
    nothing = NODES.replace("gpus: {model: L4, count: 1}", "taints: []")
    gpus = deployment(name="agent").replace("kind: Deployment", "kind: DaemonSet")
    found = only(findings(gpus, nothing), "KLG502")
    assert (found.severity, found.certainty) == ("error", only(findings(deployment(), nothing), "KLG502").certainty)
    selecting = deployment(name="agent", pod='nodeSelector: {nvidia.com/gpu.present: "true"}')
    assert "KLG502" not in codes(findings(selecting.replace("kind: Deployment", "kind: DaemonSet"), nothing))
    assert "KLG502" not in codes(findings(gpus, NODES))


TEMPLATES = "volumeClaimTemplates: [{metadata: {name: data}, spec: {%saccessModes: [ReadWriteOnce]}}]"
CLAIM = "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: serving}, spec: {%s}}\n"


def stateful_set(classes, replicas=1):
    return deployment(spec=f"replicas: {replicas}\n{TEMPLATES % classes}").replace(
        "kind: Deployment", "kind: StatefulSet"
    )


def test_where_volumes_are_fewer_than_claims_a_volume_lacks_and_not_what_the_node_has_left():
    local = NODES + STORAGE % ("kubernetes.io/no-provisioner", WAITS)
    volume = (
        "---\n{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {storageClassName: disk, "
        "accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, local: {path: /x}, nodeAffinity: {required: "
        "{nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [%s]}]}]}}}}\n"
    )
    name = NODES.split("name: ")[1].split(",")[0].split("\n")[0]
    found = only(findings(stateful_set("storageClassName: disk, ", 2), local + volume % name), "KLG111")
    assert "the next one waits for a volume on" in found.message
    assert "didn't find available persistent volumes to bind" in found.message
    assert any("each pod has claims of its own" in one.message for one in found.related)
