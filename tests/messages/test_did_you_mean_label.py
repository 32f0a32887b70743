"""Which key or value was probably meant, and that findings say it."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings

from kubelint_gpu.messages.did_you_mean_label import nearest_key, nearest_value
from kubelint_gpu.messages.wording import counted

KEYS = ["accelerator", "amd.com/gpu.family", "kubernetes.io/hostname", "nvidia.com/gpu.product", "pool"]
NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
  - name: gpu-1
    labels: {pool: gpu, accelerator: nvidia-l4, rack: r1, nvidia.com/gpu.product: NVIDIA-L4}
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: 1}
priorityClasses: [{name: serving, value: 1000}]
"""


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("gpu.product", "nvidia.com/gpu.product"),
        ("hostname", "kubernetes.io/hostname"),
        ("nvidia.com/gpu-product", "nvidia.com/gpu.product"),
        ("Accelerator", "accelerator"),
        ("acelerator", "accelerator"),
        ("ACELERATOR", "accelerator"),
        ("team", ""),
        ("", ""),
    ],
)
def test_keys(key, meant):
    assert nearest_key(key, KEYS) == meant


def test_a_name_that_stands_under_two_prefixes_is_not_chosen_between():
    assert nearest_key("gpu", ["a.example/gpu", "b.example/gpu"]) == ""


@pytest.mark.parametrize(
    ("values", "known", "meant"),
    [
        (["L4"], ["NVIDIA-L4"], ("NVIDIA-L4", "L4")),
        (["A100"], ["NVIDIA-A100-SXM4-40GB", "NVIDIA-A100-SXM4-80GB"], ("", "")),
        (["nvidia_l4"], ["NVIDIA-L4", "NVIDIA-L40"], ("NVIDIA-L4", "nvidia_l4")),
        (["GPU"], ["gpu", "cpu"], ("gpu", "GPU")),
        (["nothing", "gpuu"], ["cpu", "gpu"], ("gpu", "gpuu")),
        (["c"], ["a", "b"], ("", "")),
        (["1"], ["zone-1"], ("", "")),
        ([], ["a"], ("", "")),
        (["ml.g5.8xlarge"], ["p5.48xlarge"], ("", "")),
        (["g5.8xlarge"], ["p5.8xlarge"], ("", "")),
        (["NVIDIA-A100-SXM4-40GB"], ["NVIDIA-A100-SXM4-80GB"], ("", "")),
        (["eu-west-1a"], ["eu-west-1b"], ("", "")),
        (["cpu"], ["gpu"], ("", "")),
        (["trainer"], ["training"], ("", "")),
        (["NVDIA-L4"], ["NVIDIA-L4", "NVIDIA-L40S"], ("NVIDIA-L4", "NVDIA-L4")),
        (["nvidiaL4"], ["NVIDIA-L4"], ("NVIDIA-L4", "nvidiaL4")),
        (["tranining"], ["training", "serving"], ("training", "tranining")),
        (["traniing"], ["training", "serving"], ("training", "traniing")),
        (["NVIDIA-Tesla-T4"], ["NVIDIA-A100-SXM4-80GB", "Tesla-T4"], ("Tesla-T4", "NVIDIA-Tesla-T4")),
        (["NVIDIA-A100-SXM4-80G"], ["NVIDIA-A100-SXM4-80GB"], ("NVIDIA-A100-SXM4-80GB", "NVIDIA-A100-SXM4-80G")),
        (["t4-2"], ["t4-1"], ("", "")),
        (["my-gpu"], ["gpu"], ("", "")),
        (["spott"], ["spota", "spotb"], ("", "")),
    ],
)
def test_values(values, known, meant):
    assert nearest_value(values, known) == meant


@pytest.mark.parametrize(
    ("pod", "said", "fixed"),
    [
        ("nodeSelector: {nvidia.com/gpu.product: L4}", "did you mean NVIDIA-L4?", "write NVIDIA-L4"),
        (
            "nodeSelector: {gpu.product: NVIDIA-L4}",
            "did you mean the label nvidia.com/gpu.product?",
            "write nvidia.com",
        ),
        ("nodeSelector: {pool: GPU}", "did you mean gpu?", "write gpu"),
        (
            (
                "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                "[{matchExpressions: [{key: pool, operator: In, values: [nothing, gpuu]}]}]}}}"
            ),
            "did you mean gpu for gpuu?",
            "",
        ),
    ],
)
def test_a_label_that_no_node_has_is_told_with_the_nearest_one(pod, said, fixed):
    (found,) = findings(deployment(spec="strategy: {type: Recreate}", pod=pod), NODES, "KLG402")
    assert found.help == (said,)
    assert [fix.title[: len(fixed)] for fix in found.fixes] == ([fixed] if fixed else [])


def test_a_contradiction_with_a_misspelt_value_names_the_right_one():
    pod = (
        "nodeSelector: {pool: gpu}\naffinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "{nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: In, values: [gpuu]}]}]}}}"
    )
    (found,) = findings(deployment(pod=pod), NODES, "KLG401")
    assert found.help == ("did you mean gpu for gpuu?",)
    (found,) = findings(deployment(pod=pod), "", "KLG401")
    assert found.help == ()


def test_every_label_that_no_node_has_is_told():
    (found,) = findings(deployment(pod="nodeSelector: {pool: gpus, rack: r2, team: a}"), NODES, "KLG402")
    assert found.message == "no node of the inventory meets pool=gpus: the nodes have gpu"
    assert [one.message for one in found.related if one.place.path == "a.yaml"] == [
        "no node of the inventory meets rack=r2: the nodes have r1",
        "no node of the inventory has the label team",
    ]


def test_a_topology_key_without_its_prefix_is_told_with_it():
    pod = (
        "topologySpreadConstraints: [{maxSkew: 1, topologyKey: hostname, whenUnsatisfiable: DoNotSchedule, "
        "labelSelector: {matchLabels: {app: chat}}}]"
    )
    (found,) = findings(deployment(pod=pod), NODES, "KLG405")
    assert found.help == ("did you mean kubernetes.io/hostname?",)


@pytest.mark.parametrize("terms", ["{}", "{nodeSelectorTerms: []}", "{nodeSelectorTerms: null}"])
def test_a_node_selector_without_terms_is_told_once(terms):
    pod = f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {terms}}}}}"
    found = findings(deployment(spec="strategy: {type: Recreate}", pod=pod), NODES)
    assert [one.code for one in found] == ["KLG003"]


@pytest.mark.parametrize(
    "pod",
    [
        (
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
            "[{matchExpressions: [{key: 5, operator: In, values: [a]}]}]}}}"
        ),
        (
            "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: 5, "
            "labelSelector: {matchLabels: {app: a}}}]}}"
        ),
    ],
)
def test_a_key_that_is_no_text_is_told_once(pod):
    found = findings(deployment(spec="strategy: {type: Recreate}", pod=pod), NODES)
    assert [one.code for one in found] == ["KLG003"]
    assert "must be a string, not the number 5" in found[0].message


def test_plurals():
    assert [counted(1, "class"), counted(2, "class"), counted(2, "node")] == ["1 class", "2 classes", "2 nodes"]
