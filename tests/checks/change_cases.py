"""A change of manifests, and the findings about its rollouts."""

from __future__ import annotations

from checks_units import deployment, unit, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet

KEEPS = "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n"


SURGE = "updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n"
GIVES = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n"
RECREATE = "strategy: {type: Recreate}\n"
PAUSED = f"{KEEPS}paused: true\n"
CLAIM = (
    "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: serving}\n"
    "spec: {accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}}\n"
)
DATA = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n"


def inventory(*gpus, more=""):
    """Nodes `n1`, `n2` and so on with so many GPUs."""
    nodes = "".join(
        f"  - name: n{number}\n    labels: {{on: n{number}}}\n    allocatable: {{cpu: 16, memory: 64Gi}}\n"
        f"    gpus: {{model: L4, count: {count}}}\n"
        for number, count in enumerate(gpus, 1)
    )
    return (
        f'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\nnodes:\n{nodes}'
        f"priorityClasses:\n  - {{name: serving, value: 1000}}\n{more}"
    )


def on(node, more=""):
    return f"nodeSelector: {{on: {node}}}\n{more}"


def made(name, strategy=KEEPS, *, replicas=1, gpus=1, pod="", more="", kind="Deployment"):
    """One workload, after the separator of documents."""
    spec = strategy if kind == "DaemonSet" else f"replicas: {replicas}\n{strategy}"
    spec = f"serviceName: {name}\n{spec}" if kind == "StatefulSet" else spec
    text = deployment(spec=spec, pod=pod, more=more, name=name, limits=f"{{nvidia.com/gpu: {gpus}}}")
    return f"---\n{text.replace('kind: Deployment', f'kind: {kind}')}"


def found(before, after, cluster):
    """The findings about rollouts of a change, as (code, name of the object, message)."""
    every = findings_of(before, after, cluster)
    return [
        (one.code, one.object.rpartition("/")[2], one.message)
        for one in every
        if one.code.startswith("KLG1") and one.severity != "note"
    ]


def findings_of(before, after, cluster):
    """All findings of a change."""
    old = {one.object: one for one in unit(before, cluster).manifests}
    new = {one.object for one in unit(after, cluster).manifests}
    judged = ApplySet((read("a.yaml", after.encode()),), world(cluster), before=old, made=new - old.keys())
    return check((judged,), judged.world).findings


def pod(gpus, node="n1"):
    """A running pod of `a`, as the inventory has it."""
    return (
        f"running:\n  - {{name: a-1, namespace: serving, node: {node}, gpus: {gpus}, owner: ReplicaSet/a-1, "
        f"labels: {{app: a}}}}\n"
    )


def told(before, after, cluster):
    return [(code, name) for code, name, _ in found(before, after, cluster)]


def told_now(before, after, cluster):
    """The same of the rollouts that begin with the change, and not of those that come later."""
    return [(code, name) for code, name, told in found(before, after, cluster) if "the next rollout" not in told]
