"""The schema that editors and people read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load, schema_text
from kubelint_gpu.inventory.declarations.quantities import difference
from kubelint_gpu.inventory.gpus.gpu_models import MODELS, models_called
from kubelint_gpu.inventory.gpus.mig import impossible
from kubelint_gpu.kube.values.quantity import parse_quantity

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
