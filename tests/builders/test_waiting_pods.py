"""What helps pods that wait for a claim that is attached to another node."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings

CLAIM = (
    "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: serving}\n"
    "spec: {accessModes: [ReadWriteOnce], storageClassName: block, resources: {requests: {storage: 1Gi}}}\n"
)
INVENTORY = (
    'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\npools:\n'
    "  - {name: gpu, count: 3, template: {allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 4}}}\n"
    "priorityClasses:\n  - {name: serving, value: 1000}\n---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\n"
    "metadata: {name: block}\nprovisioner: csi.example.com\nvolumeBindingMode: WaitForFirstConsumer\n"
)
VOLUME = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"


@pytest.mark.parametrize(("replicas", "helped"), [(3, True), (1, False)])
def test_several_replicas_of_one_claim_have_three_ways_out(replicas, helped):
    # one replica that waits for its own old pod is helped by Recreate
    spec = f"replicas: {replicas}\nstrategy: {{rollingUpdate: {{maxSurge: {int(not helped)}, maxUnavailable: 1}}}}"
    if not helped:
        spec = spec.replace("maxUnavailable: 1", "maxUnavailable: 0")
    text = deployment(spec=spec, pod=VOLUME) + CLAIM
    told = [line for one in findings(text, INVENTORY, "KLG107") for line in one.help]
    assert told
    assert any("ReadWriteMany storage, run 1 replica with strategy Recreate, or" in line for line in told) is helped


def test_workloads_that_share_a_claim_are_not_told_to_have_fewer_replicas():
    spec = "strategy: {type: Recreate}"
    one, other = (deployment(name=name, spec=spec, pod=VOLUME) for name in ("chat", "other"))
    (found,) = findings(f"{one}---\n{other}{CLAIM}", INVENTORY, "KLG106")
    # one after the other does not help: the pods of the other one keep the volume on their node
    (told,) = found.help
    assert told.startswith("use ReadWriteMany storage, or keep all pods that use the claim on one node")
