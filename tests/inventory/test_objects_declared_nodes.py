"""What a ClusterInventory becomes: complete API objects, each with its place."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import ONE_PER_CONTAINER, POOL, UNHEALTHY, UNLIMITED, load

HEAD = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\n"


def loaded(text, head=HEAD):
    return load([read("cluster.yaml", (head + text).encode())])


def inventory_of(text):
    inventory, errors = loaded(text)
    assert [error.message for error in errors if error.severity == "error"] == []
    return inventory


def node(text):
    """The value of the only node, from the lines below `- name: m`."""
    (declared,) = inventory_of(f"nodes:\n  - name: m\n    {text}\n").of_kind("Node")
    return declared.value


def line_of(inventory, kind, name, *pointer):
    declared = next(each for each in inventory.of_kind(kind) if each.name == name)
    return declared.locate(pointer).line


def test_a_cordoned_node_has_the_taint_of_the_node_lifecycle_controller_once():
    taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    assert node("unschedulable: true")["spec"] == {"unschedulable": True, "taints": [taint]}
    written = "unschedulable: true\n    taints: ['k=v:NoExecute', 'node.kubernetes.io/unschedulable:NoSchedule']"
    assert node(written)["spec"]["taints"] == [{"key": "k", "value": "v", "effect": "NoExecute"}, taint]


def test_a_node_with_a_name_only_is_a_linux_amd64_node_without_limits():
    value = node("unschedulable: false")
    assert value["metadata"]["labels"] == {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": "m",
        "kubernetes.io/os": "linux",
    }
    assert value["status"]["allocatable"]["pods"] == "110"
    assert value["metadata"]["annotations"] == {UNLIMITED: "cpu,memory,ephemeral-storage"}
    assert value["spec"] == {}


def test_t4_has_the_labels_of_the_driver_name_and_not_of_the_vendor():
    labels = node("gpus: {model: T4, count: 2}")["metadata"]["labels"]
    assert {key: value for key, value in labels.items() if key.startswith("nvidia.com/")} == {
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.product": "Tesla-T4",
        "nvidia.com/gpu.count": "2",
        "nvidia.com/gpu.replicas": "1",
        "nvidia.com/gpu.sharing-strategy": "none",
        "nvidia.com/gpu.memory": "16384",
        "nvidia.com/gpu.family": "turing",
        "nvidia.com/gpu.compute.major": "7",
        "nvidia.com/gpu.compute.minor": "5",
        "nvidia.com/mig.capable": "false",
        "nvidia.com/mps.capable": "false",
    }


@pytest.mark.parametrize(
    ("gpus", "resources", "product", "replicas"),
    [
        ("{model: L4, count: 3}", {"nvidia.com/gpu": "3"}, "NVIDIA-L4", "1"),
        (
            "{model: L4, count: 2, sharing: {timeSlicing: {replicas: 4}}}",
            {"nvidia.com/gpu": "8"},
            "NVIDIA-L4-SHARED",
            "4",
        ),
        (
            "{model: L4, count: 2, sharing: {timeSlicing: {replicas: 4, renameByDefault: true}}}",
            {"nvidia.com/gpu.shared": "8"},
            "NVIDIA-L4",
            "4",
        ),
        ("{model: L4, count: 1, sharing: {mps: {replicas: 3}}}", {"nvidia.com/gpu": "3"}, "NVIDIA-L4-SHARED", "3"),
        (
            "{model: A100-SXM4-80GB, count: 2, sharing: {mig: {strategy: single, profiles: {1g.10gb: 7}}}}",
            {"nvidia.com/gpu": "14"},
            "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb",
            "1",
        ),
        (
            "{model: A100-SXM4-80GB, count: 2, sharing: {mig: {strategy: mixed, profiles: {1g.10gb+me: 1, 3g.40gb: 1}}}}",
            {"nvidia.com/mig-1g.10gb.me": "2", "nvidia.com/mig-3g.40gb": "2"},
            "NVIDIA-A100-SXM4-80GB",
            "1",
        ),
        (
            "{model: A100-SXM4-80GB, count: 1, sharing: {mig: {strategy: mixed, profiles: {1g.10gb: 7}}, timeSlicing: {replicas: 2, renameByDefault: true}}}",
            {"nvidia.com/mig-1g.10gb.shared": "14"},
            "NVIDIA-A100-SXM4-80GB",
            "1",
        ),
        (
            "{model: A100-SXM4-80GB, count: 1, sharing: {mig: {strategy: single, profiles: {1g.10gb: 2, 2g.20gb: 1}}}}",
            {},
            "NVIDIA-A100-SXM4-80GB-MIG-INVALID",
            "0",
        ),
    ],
)
def test_sharing_decides_resource_names_and_labels(gpus, resources, product, replicas):
    value = node(f"gpus: {gpus}")
    allocatable = value["status"]["allocatable"]
    assert {name: amount for name, amount in allocatable.items() if "/" in name} == resources
    assert value["metadata"]["labels"]["nvidia.com/gpu.product"] == product
    assert value["metadata"]["labels"]["nvidia.com/gpu.replicas"] == replicas


def test_mixed_mig_has_a_set_of_labels_for_each_profile():
    labels = node("gpus: {model: A100-SXM4-40GB, count: 2, sharing: {mig: {strategy: mixed, profiles: {1g.5gb: 7}}}}")[
        "metadata"
    ]["labels"]
    assert labels["nvidia.com/gpu.count"] == "2"
    assert labels["nvidia.com/mig.strategy"] == "mixed"
    assert labels["nvidia.com/mig-1g.5gb.count"] == "14"
    assert labels["nvidia.com/mig-1g.5gb.product"] == "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"


@pytest.mark.parametrize(
    ("sharing", "expected"),
    [
        ("timeSlicing: {replicas: 2}", None),
        ("timeSlicing: {replicas: 2, failRequestsGreaterThanOne: true}", "nvidia.com/gpu"),
        ("mps: {replicas: 2}", "nvidia.com/gpu"),
        ("mps: {replicas: 2, failRequestsGreaterThanOne: false}", None),
    ],
)
def test_mps_refuses_two_tickets_by_default_and_time_slicing_does_not(sharing, expected):
    annotations = node(f"gpus: {{model: L4, count: 1, sharing: {{{sharing}}}}}")["metadata"]["annotations"]
    assert annotations.get(ONE_PER_CONTAINER) == expected


def test_gpus_of_other_plugins_have_a_resource_and_no_labels():
    value = node("gpus: {resource: amd.com/gpu, count: 8}")
    assert value["status"]["allocatable"]["amd.com/gpu"] == "8"
    assert not any(label.startswith("nvidia.com/") for label in value["metadata"]["labels"])


def test_grace_nodes_are_arm64_and_a_label_of_ones_own_stands():
    assert node("gpus: {model: GB200, count: 4}")["metadata"]["labels"]["kubernetes.io/arch"] == "arm64"
    own = node("gpus: {model: GB200, count: 4}\n    labels: {kubernetes.io/arch: amd64, nvidia.com/gpu.count: '9'}")
    assert own["metadata"]["labels"]["kubernetes.io/arch"] == "amd64"
    assert own["metadata"]["labels"]["nvidia.com/gpu.count"] == "9"


def test_memory_chooses_between_models_of_one_name():
    _, errors = loaded("nodes:\n  - {name: m, gpus: {model: H100, memory: 94Gi, count: 1}}\n")
    assert errors == ()
    labels = node("gpus: {model: H100, memory: 94Gi, count: 1}")["metadata"]["labels"]
    assert labels["nvidia.com/gpu.product"] == "NVIDIA-H100-NVL"
    assert labels["nvidia.com/gpu.memory"] == "96256"


@pytest.mark.parametrize(
    ("gpus", "message", "hint"),
    [
        (
            "{model: A1000, count: 1}",
            'unknown GPU model "A1000", taken as product label "A1000"',
            'did you mean "A100"?',
        ),
        (
            "{model: V100, count: 1}",
            '"V100" may be Tesla-V100-SXM2-16GB, Tesla-V100-SXM2-32GB, Tesla-V100-PCIE-16GB, Tesla-V100-PCIE-32GB; taken as the first',
            "write the product label",
        ),
        (
            "{model: A100-SXM4-80GB, count: 1, sharing: {mig: {strategy: mixed, profiles: {1g.5gb: 7}}}}",
            'NVIDIA-A100-SXM4-80GB has no MIG profile "1g.5gb"',
            'did you mean "1g.10gb"?',
        ),
        (
            "{model: T4, count: 1, sharing: {mig: {strategy: mixed, profiles: {1g.5gb: 7}}}}",
            "Tesla-T4 cannot be divided by MIG",
            "use timeSlicing or mps",
        ),
        (
            "{model: A100-SXM4-80GB, count: 1, sharing: {mig: {strategy: mixed, profiles: {3g.40gb: 3}}}}",
            "NVIDIA-A100-SXM4-80GB holds at most 2 of 3g.40gb, not 3",
            "",
        ),
    ],
)
def test_doubtful_gpus_are_a_warning_and_a_doubtful_model_a_note(gpus, message, hint):
    severity = "warning" if "mig" in gpus else "note"
    _, errors = loaded(f"nodes:\n  - name: m\n    gpus: {gpus}\n")
    assert (errors[0].severity, errors[0].message, errors[0].hint) == (severity, message, hint)
    assert errors[0].span.line == 5


def test_the_79_gb_profile_of_some_drivers_is_no_other_profile():
    _, errors = loaded(
        "nodes:\n  - {name: m, gpus: {model: A100-SXM4-80GB, count: 1, sharing: {mig: {strategy: mixed, profiles: {7g.79gb: 1}}}}}\n"
    )
    assert errors == ()


def test_two_models_on_one_node_add_up_and_the_first_has_the_labels():
    inventory, errors = loaded("nodes:\n  - name: m\n    gpus: [{model: L4, count: 2}, {model: T4, count: 1}]\n")
    (declared,) = inventory.of_kind("Node")
    assert declared.value["status"]["allocatable"]["nvidia.com/gpu"] == "3"
    assert declared.value["metadata"]["labels"]["nvidia.com/gpu.product"] == "NVIDIA-L4"
    assert [error.severity for error in errors] == ["note"]
    assert "labels of only one of them" in errors[0].message


def test_reserved_is_subtracted_exactly():
    status = node("capacity: {cpu: 8, memory: 32Gi}\n    reserved: {cpu: 90m, memory: 1000M}")["status"]
    assert status["capacity"]["cpu"] == "8"
    assert status["allocatable"]["cpu"] == "7910m"
    assert status["allocatable"]["memory"] == str(32 * 2**30 - 10**9)


def test_taints_are_read_as_kubectl_writes_them():
    taints = node("taints: ['a=b:NoSchedule', 'c:NoExecute', {key: d, effect: PreferNoSchedule}]")["spec"]["taints"]
    assert taints == [
        {"key": "a", "value": "b", "effect": "NoSchedule"},
        {"key": "c", "effect": "NoExecute"},
        {"key": "d", "effect": "PreferNoSchedule"},
    ]


POOL_TEXT = """
pools:
  - name: gpu
    count: 3
    template:
      taints: ["a:NoSchedule"]
      gpus: {model: L4, count: 2}
    autoscaling: {min: 1, max: 5}
"""


def test_a_pool_has_numbered_nodes_that_differ_in_nothing_but_their_names():
    inventory = inventory_of(POOL_TEXT)
    nodes = list(inventory.of_kind("Node"))
    assert [node.name for node in nodes] == ["gpu-1", "gpu-2", "gpu-3"]
    assert [node.value["metadata"]["labels"]["kubernetes.io/hostname"] for node in nodes] == ["gpu-1", "gpu-2", "gpu-3"]
    assert [node.typed.name for node in nodes] == ["gpu-1", "gpu-2", "gpu-3"]
    assert nodes[0].value["status"] is nodes[2].value["status"]
    assert nodes[0].value["metadata"]["annotations"][POOL] == "gpu"


def test_a_pool_that_can_grow_makes_the_inventory_incomplete_unless_it_says_otherwise():
    inventory = inventory_of(POOL_TEXT)
    assert not inventory.complete
    assert inventory.pools[0].room == 2
    assert inventory.pools[0].template.value["status"]["allocatable"]["nvidia.com/gpu"] == "2"
    assert inventory_of(POOL_TEXT + "complete: true\n").complete
    assert inventory_of(POOL_TEXT.replace("max: 5", "max: 3")).complete


def test_an_inventory_without_nodes_is_incomplete():
    assert not inventory_of("priorityClasses: [{name: a, value: 1}]\n").complete
    assert inventory_of("nodes: [{name: m}]\n").complete


RUNNING = """
nodes:
  - {name: m, gpus: {model: L4, count: 2}}
  - name: shared
    gpus: {model: L4, count: 1, sharing: {timeSlicing: {replicas: 4, renameByDefault: true}}}
priorityClasses:
  - {name: research, value: 7, preemptionPolicy: Never}
  - {name: usual, value: 3, globalDefault: true}
running:
  - name: tracker
    node: m
    requests: {cpu: 500m}
    gpus: 1
    owner: Deployment/vision/tracker
    priorityClassName: research
    hostPorts: [80, {port: 53, protocol: UDP}]
  - {name: free, node: shared, gpus: 2, count: 2}
  - {name: fixed, node: m, priority: 9}
  - {name: critical, node: m, priorityClassName: system-node-critical}
  - pod: {metadata: {name: raw}, spec: {nodeName: m, priorityClassName: research, containers: [{name: c, image: i}]}}
"""


def test_running_pods_are_complete_pods():
    pods = {pod.name: pod.value for pod in inventory_of(RUNNING).of_kind("Pod")}
    assert list(pods) == ["tracker", "free-1", "free-2", "fixed", "critical", "raw"]
    tracker = pods["tracker"]
    assert tracker["metadata"]["namespace"] == "vision"
    assert tracker["metadata"]["ownerReferences"] == [
        {"apiVersion": "apps/v1", "kind": "Deployment", "name": "tracker", "controller": True}
    ]
    assert tracker["spec"]["nodeName"] == "m"
    assert tracker["status"]["phase"] == "Running"
    (container,) = tracker["spec"]["containers"]
    assert container["resources"] == {
        "requests": {"cpu": "500m", "nvidia.com/gpu": "1"},
        "limits": {"nvidia.com/gpu": "1"},
    }
    assert [(port["hostPort"], port["protocol"]) for port in container["ports"]] == [(80, "TCP"), (53, "UDP")]
    assert pods["free-2"]["spec"]["containers"][0]["resources"]["requests"] == {"nvidia.com/gpu.shared": "2"}


def test_running_pods_have_the_priority_that_admission_gives():
    specs = {pod.name: pod.value["spec"] for pod in inventory_of(RUNNING).of_kind("Pod")}
    assert (specs["tracker"]["priority"], specs["tracker"]["preemptionPolicy"]) == (7, "Never")
    assert (specs["free-1"]["priority"], specs["free-1"]["priorityClassName"]) == (3, "usual")
    assert specs["fixed"]["priority"] == 9
    assert specs["critical"]["priority"] == 2_000_001_000
    assert specs["raw"]["priority"] == 7


def test_every_field_leads_back_to_the_line_it_follows_from():
    text = """nodes:
  - name: m
    labels:
      a: b
    allocatable:
      cpu: 8
    gpus:
      model: L4
      count: 2
    taints:
      - a:NoSchedule
"""
    inventory = inventory_of(text)
    assert line_of(inventory, "Node", "m", "metadata", "name") == 4
    assert line_of(inventory, "Node", "m", "metadata", "labels", "a") == 6
    assert line_of(inventory, "Node", "m", "metadata", "labels", "nvidia.com/gpu.product") == 10
    assert line_of(inventory, "Node", "m", "metadata", "labels", "nvidia.com/gpu.count") == 11
    assert line_of(inventory, "Node", "m", "status", "allocatable", "cpu") == 8
    assert line_of(inventory, "Node", "m", "status", "allocatable", "nvidia.com/gpu") == 11
    assert line_of(inventory, "Node", "m", "spec", "taints", 0, "effect") == 13
    assert line_of(inventory, "Node", "m", "status", "nodeInfo", "kubeletVersion") == 4


def test_fields_of_pods_pools_and_policies_lead_back_to_their_lines():
    running = inventory_of(RUNNING)
    requests = ("spec", "containers", 0, "resources", "requests")
    assert line_of(running, "Pod", "tracker", *requests, "nvidia.com/gpu") == 15
    assert line_of(running, "Pod", "tracker", *requests, "cpu") == 14
    assert line_of(running, "Pod", "tracker", "spec", "priority") == 17
    assert line_of(running, "Pod", "raw", "spec", "nodeName") == 22
    assert line_of(running, "PriorityClass", "usual", "globalDefault") == 10
    pool = inventory_of(POOL_TEXT)
    assert line_of(pool, "Node", "gpu-2", "metadata", "name") == 5
    assert line_of(pool, "Node", "gpu-2", "status", "allocatable", "nvidia.com/gpu") == 9


def test_policies_are_api_objects():
    inventory = inventory_of(
        """namespaces: [{name: vision, labels: {team: ml}}]
resourceQuotas: [{name: q, namespace: vision, hard: {requests.nvidia.com/gpu: 4}, used: {requests.nvidia.com/gpu: 1}}]
podDisruptionBudgets:
  - {name: b, namespace: vision, selector: {matchLabels: {a: b}}, minAvailable: 50%}
  - {name: c, selector: {}, maxUnavailable: 1, disruptionsAllowed: 0}
"""
    )
    values = {each.kind + "/" + each.name: each.value for each in inventory.objects}
    assert values["Namespace/vision"]["metadata"]["labels"]["kubernetes.io/metadata.name"] == "vision"
    assert values["ResourceQuota/q"]["spec"]["hard"] == values["ResourceQuota/q"]["status"]["hard"]
    assert values["PodDisruptionBudget/b"]["spec"]["minAvailable"] == "50%"
    assert "status" not in values["PodDisruptionBudget/b"]
    assert values["PodDisruptionBudget/c"]["status"] == {"disruptionsAllowed": 0}


def test_unhealthy_nodes_are_named_with_their_reason():
    inventory = inventory_of(
        "nodes: [{name: a}, {name: b, unhealthy: true, reason: ECC}, {name: c, unhealthy: true}]\n"
    )
    assert inventory.unhealthy == {"b", "c"}
    nodes = {each.name: each.value for each in inventory.of_kind("Node")}
    assert nodes["b"]["metadata"]["annotations"][UNHEALTHY] == "ECC"


def test_settings_of_admission_and_scheduler_are_handed_on():
    inventory = inventory_of(
        """admission:
  extendedResourceToleration: true
  defaultTolerations: [{key: a, operator: Exists, resource: nvidia.com/gpu}]
scheduler:
  profiles: [{schedulerName: x, ignoredResources: [nvidia.com/gpumem]}]
  defaultConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule}]
metadata: {name: staging}
"""
    )
    assert inventory.admission.extended_resource_toleration
    assert inventory.admission.default_tolerations[0]["resource"] == "nvidia.com/gpu"
    assert inventory.scheduler.profiles[0]["schedulerName"] == "x"
    assert inventory.scheduler.default_constraints[0]["topologyKey"] == "z"
    assert inventory.name == "staging"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('kubernetesVersion: "1.34"', "1.34"),
        ("kubernetesVersion: v1.34.1+k3s1", "1.34"),
        ('kubernetesVersion: "1.31"\nnodes: [{name: a, kubeletVersion: v1.30.2}]', "1.31"),
        ("nodes: [{name: a, kubeletVersion: v1.9.2}, {name: b, kubeletVersion: 1.33.0-gke.100}, {name: c}]", "1.33"),
        ("nodes: [{name: a}]", None),
    ],
)
def test_the_version_is_the_declared_one_else_that_of_the_newest_kubelet(text, expected):
    assert inventory_of(text + "\n").kubernetes_version == expected
