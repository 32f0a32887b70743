"""A claim that waits for its first pod has its volume where that pod ran: a search keeps which one it is."""

from __future__ import annotations

from checks_units import findings

INVENTORY = """
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - {name: n1, allocatable: {cpu: 8, memory: 8Gi}}
  - {name: n2, allocatable: {cpu: 8, memory: 8Gi}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: disks}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
"""
VOLUME = """---
apiVersion: v1
kind: PersistentVolume
metadata: {{name: on-{0}}}
spec:
  capacity: {{storage: 1Gi}}
  accessModes: [ReadWriteOnce]
  storageClassName: disks
  local: {{path: /disk}}
  nodeAffinity:
    required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: kubernetes.io/hostname, operator: In, values: [{0}]}}]}}]}}
"""
SET = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: db, namespace: serving}}
spec:
  replicas: 1
  serviceName: db
  selector: {{matchLabels: {{app: db}}}}
  template:
    metadata: {{labels: {{app: db}}}}
    spec:
      nodeSelector: {{kubernetes.io/hostname: {0}}}
      containers: [{{name: main, image: "registry.example.com/db:{1}"}}]
  volumeClaimTemplates:
    - metadata: {{name: data}}
      spec: {{accessModes: [ReadWriteOnce], storageClassName: disks, resources: {{requests: {{storage: 1Gi}}}}}}
"""


def told(node):
    inventory = INVENTORY + VOLUME.format("n1") + VOLUME.format("n2")
    return findings(SET.format(node, 2), inventory, "KLG111", before=SET.format("n1", 1))


def test_a_pod_that_shall_leave_the_node_of_its_volume_waits_for_ever():
    (found,) = told("n2")
    assert (found.severity, found.certainty, found.moment) == ("error", "certain", "now")
    assert "PersistentVolume's node affinity" in found.message


def test_a_pod_that_stays_by_its_volume_is_replaced():
    assert not told("n1")
