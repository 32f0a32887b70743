"""Claims of StatefulSets ordinal by ordinal, volumes that are found or not, and pods that stay where they run."""

from __future__ import annotations

from checks_units import deployment, findings

NODE = """{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {kubernetes.io/hostname: %s}},
 spec: {unschedulable: %s}, status: {allocatable: {cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "%s"}}}
"""
CLASS = """{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local},
 provisioner: kubernetes.io/no-provisioner, volumeBindingMode: %s}
"""
VOLUME = """{apiVersion: v1, kind: PersistentVolume, metadata: {name: %s}, spec: {capacity: {storage: %s},
 accessModes: [ReadWriteOnce], storageClassName: local, local: {path: /v}%s, nodeAffinity: {required: {nodeSelectorTerms:
 [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [%s]}]}]}}}, status: {phase: %s}}
"""
WAITS, AT_ONCE = "WaitForFirstConsumer", "Immediate"
TEMPLATES = """volumeClaimTemplates:
- metadata: {name: data}
  spec: {accessModes: [ReadWriteOnce], storageClassName: local, resources: {requests: {storage: 1Gi}}}
"""


def node(name, gpus=1, cordoned="false"):
    return NODE % (name, name, cordoned, gpus)


def volume(name, where, size="1Gi", owner=""):
    reference = f", claimRef: {{namespace: serving, name: {owner}}}" if owner else ""
    return VOLUME % (name, size, reference, where, "Bound" if owner else "Available")


def cluster(*objects, mode=WAITS):
    version = "{apiVersion: kubelint-gpu/v1, kind: ClusterInventory, kubernetesVersion: '1.34'}\n"
    serving = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: serving}, value: 1000}\n"
    return "---\n".join([version, serving, CLASS % mode, *objects])


def stateful_set(replicas, more=TEMPLATES, pod="", name="db"):
    text = deployment(name=name, spec=f"replicas: {replicas}\nserviceName: {name}\n{more}", pod=pod)
    return text.replace("kind: Deployment", "kind: StatefulSet")


def told(replicas, inventory, before="", **more):
    found = findings(stateful_set(replicas, **more), inventory, before=before)
    now = [one for one in found if one.code in ("KLG109", "KLG111", "KLG201") and one.severity == "error"]
    return [one.message.partition(",")[0] for one in now]


def test_an_ordinal_without_a_volume_waits_for_ever():
    bound = [volume("p1", "n1", owner="data-db-0"), volume("p2", "n2", owner="data-db-1")]
    nodes = [node("n1", 4), node("n2", 4)]
    before = stateful_set(2)
    assert told(3, cluster(*nodes, *bound), before) == ["only 2 of 3 replicas can run"]
    assert told(3, cluster(*nodes, *bound, volume("p3", "n1")), before) == []
    assert told(3, cluster(*nodes, *bound, volume("p3", "n1", owner="data-other-0")), before) != []


def test_the_only_volume_is_on_a_node_that_is_full():
    beside = deployment(name="x", pod="nodeSelector: {kubernetes.io/hostname: n1}", spec="strategy: {type: Recreate}")
    inventory = cluster(node("n1"), node("n2", 4), volume("p1", "n1"))
    found = findings(stateful_set(1) + "---\n" + beside, inventory, before=beside)
    assert [one.code for one in found if one.object.startswith("StatefulSet")] == ["KLG109"]
    elsewhere = cluster(node("n1"), node("n2", 4), volume("p1", "n1"), volume("p2", "n2"))
    assert findings(stateful_set(1) + "---\n" + beside, elsewhere, "KLG109", before=beside) == []


def test_the_volume_controller_does_not_look_at_pods():
    two = [volume("p1", "n1"), volume("p2", "n2", "2Gi")]
    nodes = [node("n1", 0), node("n2", 2)]
    assert told(1, cluster(*nodes, *two, mode=AT_ONCE)) == ["its 1 replica cannot run"]
    assert told(1, cluster(*nodes, *two, mode=WAITS)) == []


def test_a_new_ordinal_has_its_own_claim_and_not_that_of_the_first():
    claim = (
        "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data-db-0, namespace: serving, annotations: "
        "{pv.kubernetes.io/bind-completed: 'yes'}}, spec: {accessModes: [ReadWriteOnce], storageClassName: local, "
        "volumeName: p1}, status: {phase: Bound}}\n"
    )
    pod = (
        "{apiVersion: v1, kind: Pod, metadata: {name: db-0, namespace: serving, labels: {app: db}}, spec: {nodeName: n1, "
        "containers: [{name: main, resources: {limits: {nvidia.com/gpu: 1}}}], volumes: [{name: data, "
        "persistentVolumeClaim: {claimName: data-db-0}}]}, status: {phase: Running}}\n"
    )
    owned = [volume("p1", "n1", owner="data-db-0"), claim, pod]
    nodes = [node("n1"), node("n2")]
    assert told(2, cluster(*nodes, *owned, volume("p2", "n2")), stateful_set(1)) == []
    assert told(2, cluster(*nodes, *owned, volume("p2", "n1")), stateful_set(1)) == ["only 1 of 2 replicas can run"]


def test_pods_that_are_kept_stay_where_they_run():
    keeps = "updateStrategy: {rollingUpdate: {partition: 1}}\n"
    before = stateful_set(1, keeps, pod="nodeSelector: {kubernetes.io/hostname: n1}")
    after = {"more": keeps, "pod": "nodeSelector: {kubernetes.io/hostname: n2}"}
    assert told(2, cluster(node("n1", cordoned="true"), node("n2")), before, **after) == []
    assert told(2, cluster(node("n1", 0), node("n2")), before, **after) == []
    assert told(3, cluster(node("n1", cordoned="true"), node("n2")), before, **after) == [
        "only 2 of 3 replicas can run"
    ]
    by_hand = {"more": "updateStrategy: {type: OnDelete}\n", "pod": after["pod"]}
    before = before.replace("rollingUpdate: {partition: 1}", "type: OnDelete")
    assert told(2, cluster(node("n1", cordoned="true"), node("n2")), before, **by_hand) == []


def test_a_claim_on_many_equal_nodes_is_decided_and_its_fix_is_verified():
    pod = "volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]"
    nodes = [node(f"n{number:02}", 4) for number in range(60)]
    claim = (
        "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: serving}, "
        "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}\n"
    )
    found = findings(deployment(pod=pod) + claim, cluster(*nodes))
    (one,) = [each for each in found if each.code == "KLG107"]
    assert (one.severity, one.certainty) == ("warning", "possible")
    assert "attached to the node of the old pod" in one.message
    assert [fix.verified for fix in one.fixes] == [True, True]


def test_what_else_keeps_a_pod_from_every_node_is_told_where_its_claim_is_bound_by_itself():
    claim = (
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: serving}\n"
        "spec: {accessModes: [ReadWriteOnce], storageClassName: local, resources: {requests: {storage: 1Gi}}}\n"
    )
    uses = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"
    inventory = cluster(node("n1"), volume("v1", "n1"), claim, mode="Immediate")
    for gpus, code in ((2, ["KLG503"]), (1, [])):
        text = deployment(pod=uses, limits=f"{{nvidia.com/gpu: {gpus}}}")
        found = [one.code for one in findings(text, inventory) if one.code.startswith("KLG5")]
        assert found == code
