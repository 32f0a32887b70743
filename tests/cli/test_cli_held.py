"""Everything that an old pod can hold keeps its successor waiting: one case for each, through the command."""

from __future__ import annotations

import gc
import json

import pytest

from kubelint_gpu.cli.main import invoke
from kubelint_gpu.values import Value

HEAD = 'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\nnodes:\n'
NODE = (
    "  - name: {name}\n    labels: {{kubernetes.io/hostname: {name}, zone: {zone}}}\n    allocatable: {{{amounts}}}\n"
)
AMPLE = "cpu: 64, memory: 256Gi, pods: 110, nvidia.com/gpu: 8"
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat, namespace: serving}}
spec:
  replicas: {replicas}
  strategy: {strategy}
  selector: {{matchLabels: {{app: chat}}}}
  template:
    metadata: {{labels: {{app: chat}}}}
    spec:
{pod}      containers:
        - name: chat
          image: registry.example.com/chat:1.0
          resources: {{requests: {requests}, limits: {limits}}}
{container}"""
KEEPS = "{type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
GIVES = "{type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"
TERM = "{labelSelector: {matchLabels: {app: chat}}, topologyKey: kubernetes.io/hostname"
MOUNT = "      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n"


class Held(Value):
    """What the old pod holds: the manifest's parts, the nodes, further objects, the code, and words of the message."""

    code: str
    words: str
    pod: str = ""
    container: str = ""
    requests: str = "{cpu: 1}"
    limits: str = "{}"
    replicas: int = 1
    nodes: tuple[str, ...] = (AMPLE,)
    objects: str = ""
    severity: str = "error"


def claim(mode, volume="vol"):
    return (
        f"---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: data, namespace: serving}}\n"
        f"spec: {{accessModes: [{mode}], volumeName: {volume}, resources: {{requests: {{storage: 1Gi}}}}}}\n"
        "status: {phase: Bound}\n"
    )


def volume(mode, source, affinity=""):
    return (
        "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: vol}\n"
        f"spec:\n  accessModes: [{mode}]\n  capacity: {{storage: 1Gi}}\n  {source}\n{affinity}"
        "  claimRef: {namespace: serving, name: data}\nstatus: {phase: Bound}\n"
    )


CSI = "csi: {driver: disk.example.com, volumeHandle: one}"
ON_FIRST = (
    "  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: "
    "[{key: kubernetes.io/hostname, operator: In, values: [gpu-1]}]}]}}\n"
)
QUOTA = (
    "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: team, namespace: serving}\n"
    'spec: {hard: {requests.nvidia.com/gpu: "1"}}\n'
)

CASES = {
    "GPU": Held(
        "KLG101",
        "for 1 nvidia.com/gpu on gpu-1",
        limits="{nvidia.com/gpu: 1}",
        nodes=("cpu: 64, memory: 256Gi, nvidia.com/gpu: 1",),
    ),
    "cpu": Held("KLG101", "for 5 cpu on gpu-1 (3 free)", requests="{cpu: 5}", nodes=("cpu: 8, memory: 256Gi",)),
    "pod slots": Held("KLG101", "for 1 pod slot on gpu-1", nodes=("cpu: 64, memory: 256Gi, pods: 1",)),
    "host ports": Held(
        "KLG102",
        "for host port 8080 on gpu-1",
        container="          ports: [{containerPort: 80, hostPort: 8080}]\n",
    ),
    "hostNetwork": Held(
        "KLG102",
        "for host port 9000 on gpu-1",
        pod="      hostNetwork: true\n",
        container="          ports: [{containerPort: 9000}]\n",
    ),
    "self anti-affinity": Held(
        "KLG103",
        "its anti-affinity keeps the new pod apart from 2 old pods",
        pod=f"      affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{TERM}}}]}}}}\n",
        replicas=2,
        nodes=(AMPLE, AMPLE),
    ),
    "DoNotSchedule spreading": Held(
        "KLG103",
        "where the topology spread constraint leaves it no room beside 2 old pods",
        pod=f"      topologySpreadConstraints: [{TERM}, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}}]\n",
        replicas=3,
        limits="{nvidia.com/gpu: 1}",
        nodes=(AMPLE, "cpu: 64, memory: 256Gi, nvidia.com/gpu: 1"),
    ),
    "ReadWriteOncePod": Held(
        "KLG104",
        "for claim data (ReadWriteOncePod), used by the old pod, and the old pod is kept",
        pod=MOUNT,
        nodes=(AMPLE, AMPLE),
        objects=claim("ReadWriteOncePod") + volume("ReadWriteOncePod", CSI),
    ),
    "ReadWriteOnce attached elsewhere": Held(
        "KLG104",
        "for claim data (ReadWriteOnce), attached to the node of the old pod, and the old pod is kept",
        pod=MOUNT,
        limits="{nvidia.com/gpu: 1}",
        nodes=("cpu: 64, memory: 256Gi, nvidia.com/gpu: 1", "cpu: 64, memory: 256Gi, nvidia.com/gpu: 1"),
        objects=claim("ReadWriteOnce") + volume("ReadWriteOnce", CSI),
    ),
    "local volume": Held(
        "KLG101",
        "for 1 nvidia.com/gpu on gpu-1, held by the old pod",
        pod=MOUNT,
        limits="{nvidia.com/gpu: 1}",
        nodes=("cpu: 64, memory: 256Gi, nvidia.com/gpu: 1", AMPLE),
        objects=claim("ReadWriteOnce") + volume("ReadWriteOnce", "local: {path: /data}", ON_FIRST),
    ),
    "ResourceQuota": Held(
        "KLG105",
        "is refused by quota team, which allows 1 requests.nvidia.com/gpu and has 1 in use",
        limits="{nvidia.com/gpu: 1}",
        objects=QUOTA,
    ),
}


def rollouts(folder, held, strategy, capsys, monkeypatch):
    """The findings about rollouts of one case."""
    monkeypatch.setattr(gc, "disable", lambda: None)
    nodes = "".join(
        NODE.format(name=f"gpu-{number}", zone="ab"[number % 2], amounts=amounts)
        for number, amounts in enumerate(held.nodes, 1)
    )
    manifest = DEPLOYMENT.format(
        replicas=held.replicas,
        strategy=strategy,
        pod=held.pod,
        requests=held.requests,
        limits=held.limits,
        container=held.container,
    )
    (folder / "manifest.yaml").write_text(manifest)
    (folder / "cluster.yaml").write_text(f"{HEAD}{nodes}{held.objects}")
    monkeypatch.chdir(folder)
    options = ("--select", "KLG0,KLG1,KLG6", "--output-format", "json")
    invoke(("check", "manifest.yaml", "--inventory", "cluster.yaml", *options))
    return json.loads(capsys.readouterr().out)["findings"]


@pytest.mark.parametrize("name", CASES)
def test_what_the_old_pod_holds_keeps_the_new_one_waiting_for_ever(name, tmp_path, capsys, monkeypatch):
    held = CASES[name]
    (found,) = rollouts(tmp_path, held, KEEPS, capsys, monkeypatch)
    assert (found["code"], found["severity"]) == (held.code, held.severity), found["message"]
    assert "the rollout never ends" in found["message"]
    assert held.words in found["message"]
    assert found["trace"], "it shows how"


@pytest.mark.parametrize("name", CASES)
def test_what_the_old_pod_gives_away_first_keeps_nobody_waiting(name, tmp_path, capsys, monkeypatch):
    assert rollouts(tmp_path, CASES[name], GIVES, capsys, monkeypatch) == []
