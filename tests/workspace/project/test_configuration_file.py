"""What a configuration may say."""

from __future__ import annotations

import pytest
from command_line import kubelint
from configured import configure, laid_out


@pytest.fixture
def repository(tmp_path):
    return laid_out(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("inventroy: a.yaml", 'kubelint-gpu.yaml:1:1: unknown key "inventroy"; did you mean inventory?'),
        ("- a", "must be a mapping"),
        ("per-path: {a: {until: 2027-02-30}}", ":1:23: must be a day such as 2027-01-31"),
        ("per-path: {a: {untill: 2027-02-28}}", "did you mean until?"),
        ("per-path: {a: {reason: [b]}}", "must be a text"),
        ("inventory: {a: b}", "must be a text or a list of texts"),
        ("severity: {KLG101: loud}", "must be one of error, warning, note, off"),
        ("a: [", "kubelint-gpu.yaml:"),
        ("ignore: [KLG999]", 'there is no rule "KLG999"'),
        ("per-path: {a: {ignore: KLG101, why: b}}", 'unknown key "why"'),
        ("kinds: {a: b}", ":1:8: must be a list"),
        ("kinds: [a]", ":1:9: must be a mapping"),
        ("kinds: [{kind: A, group: b.c, temp: d}]", 'unknown key "temp"; known are kind, group, template'),
        ("kinds: [{kind: A, group: b.c}]", "must have template"),
        ("kinds: [{kind: [A]}]", ":1:16: must be a text"),
        ("kinds: [{template: a..b}]", ":1:20: must be a path of fields"),
        ("kinds: [{replicas: [1]}]", "must be a path of fields"),
        ("kinds: [{update: Sometimes}]", ":1:18: must be one of none, RollingUpdate, Recreate"),
        ("kinds: [{ends: 1}]", "must be true or false"),
    ],
)
def test_what_it_may_not_say_fails_the_run_with_a_place(repository, text, said):
    configure(repository, text + "\n")
    ran = kubelint("check", "deploy", cwd=repository)
    assert ran.code == 2
    assert said in ran.err


def test_the_schema_knows_the_keys_that_the_program_knows():
    from jsonschema import Draft7Validator

    from kubelint_gpu.workspace.project.configuration_file import KEYS

    schema = kubelint("config", "schema").json
    Draft7Validator.check_schema(schema)
    assert set(schema["properties"]) == set(KEYS)
    assert all("description" in found for found in schema["properties"].values())
    validator = Draft7Validator(schema)
    assert validator.is_valid({"targets": {"a/**": "b.yaml"}, "context": ["x"], "severity": {"KLG101": "off"}})
    assert not validator.is_valid({"inventroy": "a.yaml"})
    assert not validator.is_valid({"context": {"a": "b"}})
