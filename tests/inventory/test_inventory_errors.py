"""What is said of an inventory that is wrong, and where."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load

HEAD = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\n"


def errors_of(text, head=HEAD):
    return load([read("cluster.yaml", (head + text).encode())])[1]


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "hint"),
    [
        ("nodse: []", 3, 1, 'unknown field "nodse" in a ClusterInventory', 'did you mean "nodes"?'),
        (
            "nodes: [{name: a, allocatabel: {}}]",
            3,
            19,
            'unknown field "allocatabel" in nodes[0]',
            'did you mean "allocatable"?',
        ),
        ("nodes: [{labels: {}}]", 3, 10, "nodes[0] has no 'name'", ""),
        (
            "nodes: [{name: a, labels: {b: 1}}]",
            3,
            31,
            "nodes[0].labels.b must be a string, not the number 1",
            "write it in quotes",
        ),
        (
            "nodes: {name: a}",
            3,
            8,
            "nodes must be a list, not a mapping",
            "write each entry as a list item, with '- ' before it",
        ),
        (
            "nodes: [{name: a, allocatable: {memory: 16GB}}]",
            3,
            41,
            'nodes[0].allocatable.memory: "16GB" is no quantity; the suffix is G or Gi',
            "",
        ),
        (
            "nodes: [{name: a, allocatable: {cpu: -1}}]",
            3,
            38,
            "nodes[0].allocatable.cpu must not be negative, as -1 is",
            "",
        ),
        (
            "nodes: [{name: a, allocatable: {cpu: }}]",
            3,
            33,
            "nodes[0].allocatable.cpu must be a quantity such as 2, 500m or 16Gi, not null",
            "remove the key, or give it a value",
        ),
        (
            'nodes: [{name: a, gpus: {model: L4, count: "8"}}]',
            3,
            44,
            'nodes[0].gpus.count must be a whole number, not the string "8"',
            "write it without quotes",
        ),
        ("nodes: [{name: a, gpus: 8}]", 3, 25, "nodes[0].gpus must be a mapping or a list, not the number 8", ""),
        (
            "nodes: [{name: a, taints: [{key: b, effect: NoSchedul}]}]",
            3,
            45,
            'nodes[0].taints[0].effect must be "NoSchedule" or "PreferNoSchedule" or "NoExecute", not the string "NoSchedul"',
            'did you mean "NoSchedule"?',
        ),
        (
            "nodes: [{name: a, gpus: {model: L4, count: 1, sharing: {mps: {replicas: 2}, timeSlicing: {replicas: 2}}}}]",
            3,
            47,
            "nodes[0].gpus.sharing: 'timeSlicing' and 'mps' exclude each other",
            "",
        ),
        (
            "nodes: [{name: a, capacity: {cpu: 1}, reserved: {cpu: 2}}]",
            3,
            55,
            "more cpu is reserved (2) than there is (1)",
            "",
        ),
        (
            "kubernetesVersion: 1.30",
            3,
            20,
            'kubernetesVersion must be a version such as "1.34", in quotes (without them 1.30 is the number 1.3), not the number 1.3',
            "write it in quotes",
        ),
        ("pools: [{name: a, template: {}}]", 3, 10, "pools[0] needs 'count', or 'autoscaling'", ""),
        (
            "pools: [{name: a, count: 1000000000, template: {}}]",
            3,
            26,
            "pools[0].count must be at most 100000, not the number 1000000000",
            "",
        ),
        (
            "pools: [{name: a, count: 9, template: {}, autoscaling: {max: 3}}]",
            3,
            26,
            "9 nodes are outside the sizes of the pool, 0 to 3",
            "",
        ),
        (
            "nodes: [{name: gpu-1}]\nrunning: [{name: a, node: gpu-7}]",
            4,
            27,
            'running pod "a" is on node "gpu-7", which is not declared',
            'did you mean "gpu-1"?',
        ),
        (
            "nodes: [{name: m}]\nrunning: [{name: a, node: m, priorityClassName: system-node-critcal}]",
            4,
            49,
            'pod "default/a" has priority class "system-node-critcal", which is not declared',
            'did you mean "system-node-critical"?',
        ),
        (
            "running: [{name: a, pod: {}}]",
            3,
            12,
            "running[0]: 'pod' stands alone: a complete pod says everything itself",
            "",
        ),
    ],
)
def test_each_error_says_what_is_wrong_and_where(text, line, column, message, hint):
    (error,) = errors_of(text + "\n")
    assert (error.message, error.hint) == (message, hint)
    assert (error.span.line, error.span.column) == (line, column)
    assert error.severity == "error"


def test_a_misspelt_field_is_not_also_reported_as_missing():
    (error,) = errors_of("nodes: [{name: a, gpus: {modell: L4, count: 1}}]\n")
    assert error.hint == 'did you mean "model"?'


def test_a_pod_on_a_node_whose_declaration_is_broken_is_not_reported_too():
    (error,) = errors_of("nodes: [{name: a, x: 1}]\nrunning: [{name: p, node: a}]\n")
    assert error.message == 'unknown field "x" in nodes[0]'


def test_all_errors_are_told_and_the_rest_is_loaded():
    text = HEAD + "nodes: [{name: a}, {name: b, x: 1}, {y: 1}]\n"
    inventory, errors = load([read("cluster.yaml", text.encode())])
    assert len(errors) == 3
    assert [node.name for node in inventory.of_kind("Node")] == ["a"]


def test_pools_that_are_too_large_together_are_an_error_and_not_an_outage(monkeypatch):
    monkeypatch.setattr("kubelint_gpu.inventory.loading.MOST_NODES", 1000)
    (error,) = errors_of("pools: [{name: a, count: 600, template: {}}, {name: b, count: 600, template: {}}]\n")
    assert error.message == "the pool brings the cluster above 30,000 nodes, more than an inventory may have"
    assert error.span.line == 3


def test_too_many_pods_are_an_error_and_not_an_outage(monkeypatch):
    monkeypatch.setattr("kubelint_gpu.inventory.loading.MOST_PODS", 1000)
    pods = ", ".join(f"{{name: p{number}, node: m, count: 400}}" for number in range(3))
    (error,) = errors_of(f"nodes: [{{name: m}}]\nrunning: [{pods}]\n")
    assert error.message == "this brings the inventory above 1,000 running pods, more than it may have"


def test_a_file_that_is_wrong_throughout_is_told_so():
    errors = errors_of("".join(f"x{number}: 1\n" for number in range(5000)))
    assert len(errors) == 102
    assert errors[-1].message == "there are more than 100 errors in this inventory; these are the first"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n",
            "not an inventory: Deployment web says nothing about the nodes of a cluster",
            None,
        ),
        ("- a\n- b\n", "not an inventory: a list where an object should be", None),
        ("hello\n", 'not an inventory: the string "hello" where an object should be', None),
        ("", "not an inventory: the file is empty", None),
        ("# nothing\n", "not an inventory: the file is empty", None),
        (
            "nodes: [{name: a}]\n",
            "not an inventory: it has no kind",
            "add 'apiVersion: kubelint-gpu/v1' and 'kind: ClusterInventory' at its top",
        ),
        (
            "apiVersion: v1\nkind: ClusterInventry\n",
            "not an inventory: ClusterInventry says nothing about the nodes of a cluster",
            'did you mean "ClusterInventory"?',
        ),
    ],
)
def test_a_file_that_is_no_inventory_is_told_what_would_be(text, message, hint):
    (error,) = errors_of(text, head="")
    assert error.message == message
    assert error.hint == (
        hint
        or "an inventory is 'kind: ClusterInventory' with 'apiVersion: kubelint-gpu/v1', or what 'kubectl get nodes -o yaml' prints"
    )


def test_a_kind_misspelt_under_our_api_version_is_an_error_at_the_kind():
    (error,) = errors_of("apiVersion: kubelint-gpu/v1\nkind: ClusterInventry\n", head="")
    assert (error.span.line, error.hint) == (2, 'did you mean "ClusterInventory"?')


def test_what_cannot_be_read_is_an_error_of_the_inventory():
    (error,) = errors_of("nodes: [\n", head="")
    assert error.path == "cluster.yaml"
    assert error.severity == "error"


def test_two_classes_cannot_both_be_the_default():
    (error,) = errors_of(
        "priorityClasses:\n  - {name: a, value: 1, globalDefault: true}\n  - {name: b, value: 2, globalDefault: true}\n"
    )
    assert error.message == "priority classes a and b are both globalDefault"
    assert (error.span.line, error.related[0][1].line) == (5, 4)


def test_a_node_declared_twice_names_both_places_even_across_files():
    one = read("one.yaml", (HEAD + "nodes: [{name: a}]\n").encode())
    two = read("two.yaml", b"apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {pods: 1}}\n")
    _, (error,) = load([one, two])
    assert (error.message, error.path, error.span.line) == ("Node a is declared twice", "two.yaml", 3)
    assert error.related[0][0] == "one.yaml"


def test_versions_that_disagree_are_an_error():
    readings = [read(f"{minor}.yaml", f'{HEAD}kubernetesVersion: "1.{minor}"\n'.encode()) for minor in (33, 34)]
    _, (error,) = load(readings)
    assert (error.path, error.message) == ("34.yaml", 'kubernetesVersion is "1.34" here and "1.33" elsewhere')


WORDS = st.sampled_from(
    [
        "name",
        "n",
        "gpus",
        "model",
        "count",
        "L4",
        "template",
        "node",
        "metadata",
        "spec",
        "status",
        "allocatable",
        "labels",
        "1g.10gb",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 200) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)
SECTIONS = [
    "nodes",
    "pools",
    "running",
    "priorityClasses",
    "namespaces",
    "scheduler",
    "admission",
    "metadata",
    "complete",
]


@given(st.dictionaries(st.sampled_from(SECTIONS), VALUES, max_size=4))
@settings(max_examples=80, deadline=None)
def test_no_inventory_makes_loading_crash_and_every_error_has_a_place(sections):
    import json

    value = {"apiVersion": "kubelint-gpu/v1", "kind": "ClusterInventory", **sections}
    _, errors = load([read("cluster.json", json.dumps(value).encode())])
    assert all(error.span is not None and error.message for error in errors)


@given(
    st.sampled_from(["Node", "Pod", "PriorityClass", "PodDisruptionBudget", "Namespace", "ResourceSlice"]),
    VALUES,
    VALUES,
    VALUES,
)
@settings(max_examples=80, deadline=None)
def test_no_raw_object_makes_loading_crash(kind, metadata, spec, status):
    import json

    versions = {
        "PriorityClass": "scheduling.k8s.io/v1",
        "PodDisruptionBudget": "policy/v1",
        "ResourceSlice": "resource.k8s.io/v1",
    }
    value = {"apiVersion": versions.get(kind, "v1"), "kind": kind, "metadata": metadata, "spec": spec, "status": status}
    inventory, errors = load([read("cluster.json", json.dumps(value).encode())])
    assert all(error.message for error in errors)
    assert all(isinstance(each.value["metadata"], dict) for each in inventory.objects)
