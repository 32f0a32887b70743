"""Volumes that tie pods to nodes that do not take them."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings, unit

from kubelint_gpu.evidence.declared_lines import ELSEWHERE, THERE, fits_without_volumes, reunion, tie_lines, volume_ties

POD = "volumes: [{name: data, persistentVolumeClaim: {claimName: db}}]"


def inventory(zone, taints=""):
    return (
        "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes:\n"
        "  - {name: core, labels: {zone: b}, allocatable: {cpu: 8, memory: 30Gi}}\n"
        f"  - {{name: gpu, labels: {{zone: f}}, {taints}allocatable: {{cpu: 8, memory: 30Gi}},"
        " gpus: {model: L4, count: 1}}\n"
        "priorityClasses: [{name: serving, value: 1000}]\n---\n"
        "apiVersion: v1\nkind: PersistentVolumeClaim\n"
        "metadata: {name: db, namespace: serving, annotations: {pv.kubernetes.io/bind-completed: 'yes'}}\n"
        "spec: {accessModes: [ReadWriteOnce], storageClassName: s, volumeName: pv1, resources: {requests: "
        "{storage: 1Gi}}}\nstatus: {phase: Bound}\n---\n"
        "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv1}\n"
        "spec:\n  accessModes: [ReadWriteOnce]\n  capacity: {storage: 1Gi}\n  storageClassName: s\n"
        "  claimRef: {kind: PersistentVolumeClaim, namespace: serving, name: db}\n"
        "  csi: {driver: d.example.com, volumeHandle: v}\n  nodeAffinity:\n    required:\n      nodeSelectorTerms:\n"
        f"        - matchExpressions: [{{key: zone, operator: In, values: [{zone}]}}]\nstatus: {{phase: Bound}}\n"
    )


TAINTED = 'taints: ["nvidia.com/gpu=present:NoSchedule"], '


@pytest.mark.parametrize(
    ("limits", "declared", "code", "others"),
    [
        ("{cpu: 1}", inventory("f", TAINTED), "KLG202", True),
        ("{nvidia.com/gpu: 1}", inventory("f", TAINTED), "KLG202", False),
        ("{nvidia.com/gpu: 1}", inventory("b"), "KLG201", True),
    ],
)
def test_the_volume_is_named_where_other_nodes_lack_nothing_but_it(limits, declared, code, others):
    text = deployment(spec="strategy: {type: Recreate}", pod=POD, limits=limits)
    checked = unit(text, declared)
    (subject,) = checked.subjects
    assert fits_without_volumes(checked, subject) == others
    (found,) = findings(text, declared, code)
    assert (ELSEWHERE in found.help) == others == (" that only nodes with zone " in found.message)
    assert bool(found.fixes) != others
    assert sum("has volume pv1" in one.message for one in found.related) == 2 * others


def test_a_volume_that_every_node_reaches_ties_no_pod():
    for zone, ties in (("b", ["db"]), ("b, f", [])):
        checked = unit(deployment(pod=POD), inventory(zone))
        assert list(volume_ties(checked, checked.subjects[0])) == ties
        assert len([*tie_lines(checked, checked.subjects[0])]) == 2 * len(ties)


@pytest.mark.parametrize(
    ("zone", "mode", "helped"),
    [
        ("b", "Immediate", ELSEWHERE),
        ("b", "WaitForFirstConsumer", THERE),
        ("nowhere", "Immediate", THERE),
        ("nowhere", "WaitForFirstConsumer", THERE),
    ],
)
def test_a_class_that_waits_for_pods_is_not_told_to(zone, mode, helped):
    kind = "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: s}\nprovisioner: d.example.com\n"
    checked = unit(deployment(pod=POD), f"{inventory(zone)}{kind}volumeBindingMode: {mode}\n")
    assert reunion(checked, checked.subjects[0]) == helped
