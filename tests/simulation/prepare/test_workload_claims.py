"""Nodes take a limited number of a driver's volumes: workloads with volumes of their own get in each other's way."""

from __future__ import annotations

from change_cases import found, inventory, made

LIMIT = (
    "---\napiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: n1}\n"
    "spec: {drivers: [{name: disk.example, nodeID: n1, allocatable: {count: 2}}]}\n"
)


def volume(name):
    return (
        f"---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {{name: pv-{name}}}\n"
        "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteMany], "
        f"csi: {{driver: disk.example, volumeHandle: {name}}}, claimRef: {{name: {name}, namespace: serving}}}}\n"
        f"---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {name}, namespace: serving}}\n"
        f"spec: {{accessModes: [ReadWriteMany], volumeName: pv-{name}, resources: {{requests: {{storage: 1Gi}}}}}}\n"
    )


CLUSTER = f"{inventory(0)}{LIMIT}{volume('a')}{volume('b')}{volume('c')}"


def using(name, *claims):
    listed = ", ".join(
        f"{{name: v{place}, persistentVolumeClaim: {{claimName: {one}}}}}" for place, one in enumerate(claims)
    )
    return made(name, gpus=0, pod=f"volumes: [{listed}]\n")


def codes(before, after):
    return [(code, name) for code, name, _ in found(before, after, CLUSTER)]


def test_one_that_comes_waits_where_others_have_all_that_a_node_takes():
    there = using("a", "a") + using("b", "b")
    assert codes(there, there + using("c", "c")) == [("KLG109", "c")]
    assert codes(using("a", "a"), using("a", "a") + using("c", "c")) == []


def test_a_rollout_waits_where_its_new_pod_brings_a_volume_more():
    there = using("a", "a") + using("b", "b")
    assert codes(there, there) == []
    assert codes(there, using("a", "c") + using("b", "b")) == [("KLG104", "a")]


CLASS = (
    "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: disk}\nprovisioner: disk.example\n"
    "volumeBindingMode: WaitForFirstConsumer\n"
)
WEIGHED = (
    "---\napiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: disk.example}\n"
    "spec: {storageCapacity: true}\n"
)


def capacity(amount):
    return (
        "---\napiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\nmetadata: {name: all, namespace: storage}\n"
        f"storageClassName: disk\nnodeTopology: {{}}\ncapacity: {amount}\n"
    )


def numbered(replicas, more=""):
    templates = (
        "volumeClaimTemplates: [{metadata: {name: data}, spec: {storageClassName: disk, "
        "accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]\n"
    )
    return made("db", templates, replicas=replicas, gpus=0, kind="StatefulSet", more=more)


def told(before, after, cluster):
    return [(code, name) for code, name, _ in found(before, after, cluster)]


def test_claims_of_a_template_count_among_those_that_a_node_takes():
    cluster = f"{inventory(0)}{LIMIT}{CLASS}"
    assert told(numbered(2), numbered(3), cluster) == [("KLG111", "db")]
    assert told(numbered(1), numbered(2), cluster) == []
    assert told(numbered(2), numbered(2, "args: [x]"), cluster) == []
    assert told(numbered(2), numbered(3), f"{inventory(0)}{CLASS}") == []


def test_a_new_claim_of_a_template_needs_storage_that_a_node_can_reach():
    cluster = f"{inventory(0)}{CLASS}{WEIGHED}"
    assert told("", numbered(1), cluster + capacity("10Mi")) == [("KLG111", "db")]
    assert told("", numbered(1), cluster + capacity("10Gi")) == []
    assert told("", numbered(1), f"{inventory(0)}{CLASS}{capacity('10Mi')}") == []


def test_a_claim_that_is_there_needs_no_more_storage():
    cluster = f"{inventory(0)}{CLASS}{WEIGHED}{capacity('10Mi')}"
    assert told(numbered(2), numbered(2, "args: [x]"), cluster) == []
    assert told(numbered(1), numbered(2), cluster) == [("KLG111", "db")]
