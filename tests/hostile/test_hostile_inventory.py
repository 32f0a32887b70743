"""One bad object of an inventory is a finding at its line: the run goes on, and other findings stay."""

import json

import pytest
from limited import run

MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: other}}
    spec:
      containers:
      - {name: c, image: x}
"""
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1", "labels": {"kubernetes.io/hostname": "n1"}},
    "status": {"allocatable": {"cpu": "8", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": "1"}},
}
CONCISE = {"apiVersion": "kubelint-gpu/v1", "kind": "ClusterInventory"}
BROKEN = {
    "CSIDriver": ("storage.k8s.io/v1", {"spec": {"storageCapacity": "x"}}),
    "CSINode": ("storage.k8s.io/v1", {"spec": {"drivers": 3}}),
    "CSIStorageCapacity": ("storage.k8s.io/v1", {"capacity": "x"}),
    "LimitRange": ("v1", {"spec": {"limits": [3]}}),
    "Namespace": ("v1", {"metadata": {"name": "x", "labels": 3}}),
    "Node": ("v1", {"status": {"allocatable": {"cpu": "x"}}}),
    "PersistentVolume": ("v1", {"spec": {"accessModes": ["No"]}}),
    "PersistentVolumeClaim": ("v1", {"spec": {"resources": {"requests": {"storage": "many"}}}}),
    "Pod": ("v1", {"spec": 3}),
    "PodDisruptionBudget": ("policy/v1", {"spec": {"maxUnavailable": []}}),
    "PriorityClass": ("scheduling.k8s.io/v1", {"value": "x"}),
    "ResourceQuota": ("v1", {"spec": {"hard": {"pods": "x"}}}),
    "RuntimeClass": ("node.k8s.io/v1", {"overhead": {"podFixed": {"cpu": "x"}}}),
    "StorageClass": ("storage.k8s.io/v1", {"volumeBindingMode": "x"}),
    "VolumeAttachment": ("storage.k8s.io/v1", {"spec": {"attacher": 3}}),
}


def checked(folder, *objects):
    (folder / "inventory.yaml").write_text("\n---\n".join(map(json.dumps, objects)) + "\n")
    (folder / "web.yaml").write_text(MANIFEST)
    made = run(
        "check", "--output-format", "json", "-i", "inventory.yaml", *sorted(folder.glob("[aw]*.yaml")), cwd=folder
    )
    assert b"Traceback" not in made.stderr, made.stderr.decode()
    assert b"please report" not in made.stderr, made.stderr.decode()
    return made, json.loads(made.stdout)["findings"]


def told(findings):
    return [(each["code"], each["path"], each["line"]) for each in findings if each["code"] != "KLG301"]


@pytest.mark.parametrize("kind", sorted(BROKEN))
def test_a_malformed_raw_object_is_a_finding_at_its_line(tmp_path, kind):
    version, rest = BROKEN[kind]
    made, findings = checked(tmp_path, NODE, {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, **rest})
    assert made.returncode == 2
    assert ("KLG601", "inventory.yaml", 3) in told(findings)
    assert ("KLG008", "web.yaml", 8) in told(findings)


@pytest.mark.parametrize("version", ["v2.0.0", "2.0", "latest", "v1", "1." + "9" * 400])
def test_a_kubelet_of_no_release_of_kubernetes_is_told_and_judged_all_the_same(tmp_path, version):
    node = {**NODE, "status": {**NODE["status"], "nodeInfo": {"kubeletVersion": version}}}
    made, findings = checked(tmp_path, node)
    assert made.returncode == 1
    assert ("KLG601", "inventory.yaml", 1) in told(findings), told(findings)
    assert ("KLG008", "web.yaml", 8) in told(findings)


def test_the_same_node_in_two_namespaces_is_declared_twice(tmp_path):
    again = {**NODE, "metadata": {**NODE["metadata"], "namespace": "other"}}
    made, findings = checked(tmp_path, NODE, again)
    assert made.returncode == 2
    assert ("KLG601", "inventory.yaml", 3) in told(findings)


def test_an_object_with_a_generated_name_alone_is_told(tmp_path):
    made, findings = checked(tmp_path, {**NODE, "metadata": {"generateName": "n-"}})
    assert made.returncode == 2
    assert ("KLG601", "inventory.yaml", 1) in told(findings)


@pytest.mark.parametrize(
    "amount",
    [10**300, f"{10**300}", "1e300", "1e100", 10**100],
    ids=lambda amount: f"{str(amount)[:5]}-{len(str(amount))}",
)
@pytest.mark.parametrize("resource", ["memory", "nvidia.com/gpu", "hugepages-2Mi"])
def test_a_quantity_of_any_size_ends_no_run(tmp_path, amount, resource):
    given = json.dumps(amount)
    node = {"name": "n1", "capacity": {"cpu": 4, "memory": "8Gi", resource: amount}, "reserved": {resource: 1}}
    running = {"name": "r", "node": "n1", "requests": {resource: amount}}
    quota = {"name": "q", "namespace": "default", "hard": {f"requests.{resource}": amount, "pods": amount}}
    whole = {**CONCISE, "nodes": [node], "running": [running], "resourceQuotas": [quota]}
    asked = MANIFEST.replace("image: x", f"image: x, resources: {{limits: {{{resource}: {given}}}}}")
    (tmp_path / "asked.yaml").write_text(asked)
    made, findings = checked(tmp_path, whole)
    assert ("KLG008", "web.yaml", 8) in told(findings)
    made, findings = checked(tmp_path, NODE)
    assert ("KLG008", "web.yaml", 8) in told(findings)
    assert made.returncode == 1
    for command in (("inventory", "show"), ("inventory", "validate"), ("inventory", "diff", "inventory.yaml")):
        made = run(*command, "inventory.yaml", cwd=tmp_path)
        assert b"please report" not in made.stderr, made.stderr.decode()
