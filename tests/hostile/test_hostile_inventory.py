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


GPU = MANIFEST.replace("app: other", "app: web").replace(
    "image: x", "image: x, resources: {limits: {nvidia.com/gpu: 1}}"
)
CLAIM = GPU.replace(
    "      containers:", "      volumes: [{name: d, persistentVolumeClaim: {claimName: x}}]\n      containers:"
)
CLASS = GPU.replace("      containers:", "      priorityClassName: x\n      containers:")
OF_CLAIMS = ("CSIDriver", "CSINode", "CSIStorageCapacity", "PersistentVolume", "PersistentVolumeClaim", "StorageClass")


def checked(folder, *objects, manifest=MANIFEST):
    (folder / "inventory.yaml").write_text("\n---\n".join(map(json.dumps, objects)) + "\n")
    (folder / "web.yaml").write_text(manifest)
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


def rollouts(folder, kind, manifest, *more):
    version, rest = BROKEN[kind]
    broken = {"apiVersion": version, "kind": kind, "metadata": {"name": "x", "namespace": "lab"}, **rest}
    _, findings = checked(folder, NODE, *more, broken, manifest=manifest)
    return [(each["code"], each["severity"], each["certainty"]) for each in findings if each["code"] < "KLG3"]


@pytest.mark.parametrize("kind", sorted(BROKEN))
def test_what_a_malformed_object_cannot_decide_is_certain(tmp_path, kind):
    severity, certainty = ("error", "certain") if kind != "Node" else ("warning", "possible")
    assert rollouts(tmp_path, kind, GPU) == [("KLG101", severity, certainty)]


@pytest.mark.parametrize("kind", sorted(BROKEN))
def test_what_a_malformed_object_of_storage_may_decide_is_possible(tmp_path, kind):
    found = rollouts(tmp_path, kind, CLAIM)
    assert all(each[1:] == ("error", "certain") for each in found) == (kind not in (*OF_CLAIMS, "Node"))
    assert all(each[1] in ("warning", "note") for each in found) == (kind in (*OF_CLAIMS, "Node"))


def test_a_malformed_class_is_no_missing_one(tmp_path):
    running = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    running["spec"] = {"nodeName": "n1", "priorityClassName": "x", "containers": [{"name": "c"}]}
    version, rest = BROKEN["PriorityClass"]
    broken = {"apiVersion": version, "kind": "PriorityClass", "metadata": {"name": "x"}, **rest}
    _, findings = checked(tmp_path, NODE, broken, running, manifest=CLASS)
    errors = [(each["code"], each["line"]) for each in findings if each["severity"] == "error"]
    assert errors == [("KLG601", 3)]


@pytest.mark.parametrize("name", ["web-1", ""])
def test_a_malformed_pod_of_the_workload_makes_its_rollout_possible(tmp_path, name):
    broken = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "web"}}, "spec": 3}
    _, findings = checked(tmp_path, NODE, broken, manifest=GPU)
    found = next(each for each in findings if each["code"] == "KLG101")
    assert (found["severity"], found["certainty"]) == ("warning", "possible")
    assert found["message"].startswith("as far as the inventory can be read, the rollout never ends")
    assert not any(fix["verified"] for fix in found["fixes"])


@pytest.mark.parametrize(
    ("section", "entry", "certainty"),
    [
        ("nodes", {"name": "n2", "gpu": 1}, "possible"),
        ("pools", {"name": "p", "template": 3}, "possible"),
        ("running", {"name": "web-1", "node": "n1", "owner": "Deployment/web", "gpus": "x"}, "possible"),
        ("running", {"name": "other", "node": "n1", "owner": "Deployment/other", "gpus": "x"}, "certain"),
        ("resourceQuotas", {"name": "q", "namespace": "default", "hard": {"pods": "x"}}, "certain"),
        ("podDisruptionBudgets", {"name": "b", "selector": 3}, "certain"),
        ("priorityClasses", {"name": "other", "value": "x"}, "certain"),
        ("priorityClasses", {"name": "other", "value": "x", "globalDefault": True}, "possible"),
        ("namespaces", {"name": "x", "labels": 3}, "certain"),
    ],
)
def test_a_malformed_entry_costs_itself(tmp_path, section, entry, certainty):
    node = {"name": "n1", "allocatable": {"cpu": 8, "nvidia.com/gpu": 1}}
    whole = {**CONCISE, "nodes": [node], section: [entry] if section != "nodes" else [node, entry]}
    made, findings = checked(tmp_path, whole, manifest=GPU)
    assert made.returncode == 2
    assert [each["certainty"] for each in findings if each["code"] == "KLG101"] == [certainty]
    assert all(each["path"] == "inventory.yaml" for each in findings if each["code"] == "KLG601")


def test_of_a_node_that_is_declared_twice_the_first_counts_and_may_be_wrong(tmp_path):
    again = {**NODE, "status": {"allocatable": {"pods": "110", "nvidia.com/gpu": "2"}}}
    _, findings = checked(tmp_path, NODE, again, manifest=GPU)
    assert [(each["code"], each["certainty"]) for each in findings if each["code"] == "KLG101"] == [
        ("KLG101", "possible")
    ]


def test_nothing_is_judged_by_a_file_that_is_no_inventory(tmp_path):
    (tmp_path / "inventory.yaml").write_text("nodes: [\n")
    (tmp_path / "web.yaml").write_text(GPU)
    made = run("check", "--output-format", "json", "-i", "inventory.yaml", "web.yaml", cwd=tmp_path)
    assert made.returncode == 2
    assert {each["code"] for each in json.loads(made.stdout)["findings"]} == {"KLG601"}


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
    [10**300, "1e300", 10**100],
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
    for command in ("show", "validate"):
        made = run("inventory", command, "inventory.yaml", cwd=tmp_path)
        assert b"please report" not in made.stderr, made.stderr.decode()
    made, findings = checked(tmp_path, NODE)
    assert ("KLG008", "web.yaml", 8) in told(findings)
    assert made.returncode == 1


@pytest.mark.parametrize(
    ("other", "certainty"),
    [
        ({**NODE, "kind": "node", "metadata": {"name": "n2"}}, "possible"),
        ({"apiVersion": "v1", "kind": "List", "items": {}}, "possible"),
        ([{**NODE, "metadata": {"name": "n2"}}], "possible"),
        ({"apiVersion": "v1", "kind": "namespace", "metadata": {"name": "x"}}, "certain"),
    ],
)
def test_what_an_unrecognised_object_may_decide_is_possible(tmp_path, other, certainty):
    made, findings = checked(tmp_path, NODE, other, manifest=GPU)
    assert made.returncode == 2
    assert ("KLG601", "inventory.yaml", 3) in told(findings)
    assert [each["certainty"] for each in findings if each["code"] == "KLG101"] == [certainty]
    assert run("inventory", "validate", "inventory.yaml", cwd=tmp_path).returncode == 2


def test_objects_that_decide_nothing_are_silent(tmp_path):
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}}
    _, findings = checked(tmp_path, NODE, service, {**NODE, "apiVersion": "longhorn.io/v1beta2"}, manifest=GPU)
    assert [(each["code"], each["certainty"]) for each in findings if each["severity"] == "error"] == [
        ("KLG101", "certain")
    ]


NODES = [{"name": "n1", "allocatable": {"cpu": 8, "memory": "32Gi"}, "gpus": {"model": "L4", "count": 1}}]
POOL = {"name": "p", "autoscaling": {"min": 0, "max": 2}, "template": {"allocatable": {"cpu": 8, "memory": "32Gi"}}}
DEVICES = {"name": "p", "count": 2, "template": {"devices": [{"model": "L4", "count": 2}]}}
GROWN = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "p+1"}, "status": NODE["status"]}
POD = {"name": "r", "namespace": "a", "node": "n1", "gpus": 0}
NAMES = {
    "a pool": ([{**CONCISE, "nodes": NODES, "pools": [POOL, POOL]}], "pool p is declared twice"),
    "a pool in another document": (
        [
            {**CONCISE, "nodes": NODES, "pools": [POOL]},
            {**CONCISE, "pools": [{**POOL, "namePattern": "q-{}", "count": 1}]},
        ],
        "pool p is declared twice",
    ),
    "a pool with nodes": (
        [{**CONCISE, "nodes": NODES, "pools": [POOL, {**POOL, "count": 2}]}],
        "pool p is declared twice",
    ),
    "a node of a pool": (
        [{**CONCISE, "nodes": [*NODES, {"name": "p-1"}], "pools": [{**POOL, "count": 2}]}],
        "Node p-1",
    ),
    "the nodes of two pools": (
        [
            {
                **CONCISE,
                "nodes": NODES,
                "pools": [{**POOL, "count": 1}, {**POOL, "name": "q", "namePattern": "p-{}", "count": 1}],
            }
        ],
        "Node p-1 is declared twice",
    ),
    "the template of a pool": (
        [{**CONCISE, "nodes": [*NODES, {"name": "template-for-p"}], "pools": [POOL]}],
        "pool p is declared twice",
    ),
    "a node that a pool may add": ([{**CONCISE, "nodes": NODES, "pools": [POOL]}, GROWN], '"p+1" is not the name'),
    "nodes with a name that none has": (
        [{**CONCISE, "nodes": NODES, "pools": [{**POOL, "count": 2, "namePattern": "p+{}"}]}],
        '"p+1" is not the name',
    ),
    "devices of two pools": ([{**CONCISE, "nodes": NODES, "pools": [DEVICES, DEVICES]}], "pool p is declared twice"),
    "devices of a node": (
        [{**CONCISE, "nodes": [*NODES, {"name": "p-1", **DEVICES["template"]}], "pools": [DEVICES]}],
        "Node p-1 is declared twice",
    ),
    "running pods": (
        [{**CONCISE, "nodes": NODES, "running": [{**POD, "count": 2}, {**POD, "name": "r-2"}]}],
        "Pod r-2 is declared twice",
    ),
    "priority classes": (
        [{**CONCISE, "nodes": NODES, "priorityClasses": [{"name": "x", "value": 1}, {"name": "x", "value": 2}]}],
        "PriorityClass x is declared twice",
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_derived_name_that_is_there_twice_costs_itself(name, tmp_path):
    objects, told = NAMES[name]
    pools = [DEVICES] if "devices" in name else []
    codes = checked(tmp_path, {**CONCISE, "nodes": NODES, "pools": pools}, manifest=GPU)[1]
    made = checked(tmp_path, *objects, manifest=GPU)[1]
    wrong = [one for one in made if one["code"] == "KLG601"]
    assert any(told in one["message"] for one in wrong), wrong
    assert {one["code"] for one in made} - {"KLG601"} == {one["code"] for one in codes}
    ended = run("inventory", "validate", "inventory.yaml", cwd=tmp_path)
    assert ended.returncode == 2
    assert f"inventory.yaml:{wrong[0]['line']}:{wrong[0]['column']}".encode() in ended.stdout, ended
    assert wrong[0]["column"] > 1
