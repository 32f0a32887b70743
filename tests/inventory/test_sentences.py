"""What is said of an inventory that is wrong, and where."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load, schema_text
from kubelint_gpu.inventory.gpus.gpu_models import MODELS, impossible, models_called
from kubelint_gpu.kube.values.quantity import difference, parse_quantity

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


def test_a_pod_on_a_node_whose_declaration_is_broken_is_not_reported_too():
    (error,) = errors_of("nodes: [{name: a, x: 1}]\nrunning: [{name: p, node: a}]\n")
    assert error.message == 'unknown field "x" in nodes[0]'


def test_what_cannot_be_read_is_an_error_of_the_inventory():
    (error,) = errors_of("nodes: [\n", head="")
    assert error.path == "cluster.yaml"
    assert error.severity == "error"


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


SCHEMA = json.loads(schema_text())


def subschemas(schema, path=()):
    yield path, schema
    for key, value in schema.items():
        if isinstance(value, dict) and key not in ("examples", "default"):
            yield from subschemas(value, (*path, key))
        elif isinstance(value, list):
            for index, each in enumerate(value):
                if isinstance(each, dict):
                    yield from subschemas(each, (*path, key, index))


def test_it_is_a_valid_draft_07_schema():
    Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_it_is_printed_as_it_is_written():
    assert schema_text() == json.dumps(SCHEMA, indent=2) + "\n"


def test_every_mapping_with_fields_refuses_others_and_describes_its_own():
    for path, schema in subschemas(SCHEMA):
        if path and path[-1] == "properties":
            for name, field in schema.items():
                target = SCHEMA["definitions"][field["$ref"].rsplit("/", 1)[1]] if "$ref" in field else field
                assert target.get("description"), (*path, name)
        elif "properties" in schema and schema.get("type") == "object":
            assert schema["additionalProperties"] is False, path


def test_its_examples_are_inventories_without_a_fault():
    for example in SCHEMA["examples"]:
        _, errors = load([read("example.json", json.dumps(example).encode())])
        assert errors == ()


def examples():
    for path, schema in subschemas(SCHEMA):
        for example in schema.get("examples", ()):
            if path:
                yield pytest.param(
                    {**schema, "definitions": SCHEMA["definitions"]}, example, id="/".join(map(str, path))
                )


@pytest.mark.parametrize(("schema", "example"), list(examples()))
def test_each_example_obeys_its_own_schema(schema, example):
    assert list(Draft7Validator(schema).iter_errors(example)) == []


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.product)
def test_a_product_label_means_one_model_and_its_layouts_fit(model):
    assert models_called(model.product) == (model,)
    for profile, most in model.profiles:
        assert list(impossible(model, {profile: most})) == []
        assert list(impossible(model, {profile: most + 1})) != []


@pytest.mark.parametrize(
    ("spelling", "product"),
    [
        ("T4", "Tesla-T4"),
        ("nvidia-t4", "Tesla-T4"),
        ("Tesla T4", "Tesla-T4"),
        ("L4", "NVIDIA-L4"),
        ("A100-40GB", "NVIDIA-A100-SXM4-40GB"),
        ("NVIDIA A100-SXM4-80GB", "NVIDIA-A100-SXM4-80GB"),
        ("H100", "NVIDIA-H100-80GB-HBM3"),
        ("H200", "NVIDIA-H200"),
        ("RTX 4090", "NVIDIA-GeForce-RTX-4090"),
    ],
)
def test_usual_spellings_are_understood(spelling, product):
    assert models_called(spelling)[0].product == product


AMOUNTS = st.sampled_from(["1", "1500m", "16Gi", "131072000Ki", "1G", "0.1", "1e3", "3u", "7n", "0"])


@given(AMOUNTS, AMOUNTS, st.sampled_from(["cpu", "memory", "nvidia.com/gpu"]))
def test_differences_are_exact(whole, part, resource):
    expected = parse_quantity(whole) - parse_quantity(part)
    found = difference(resource, whole, part)
    assert (found is None) == (expected < 0)
    assert found is None or parse_quantity(found) == expected
