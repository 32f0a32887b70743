"""What a configuration may say."""

from __future__ import annotations

import pytest
from command_line import check_json, kubelint
from configured import configure, laid_out

from kubelint_gpu.kube.kinds.custom_workload import custom_workloads, declare_rows
from kubelint_gpu.workspace.project.configuration_file import rows


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


CLUSTER = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
  - {name: n1, allocatable: {cpu: 16}, gpus: {model: L4, count: 2}}
"""
FLOW = """\
apiVersion: flows.example.com/v1
kind: Flow
metadata: {name: x, namespace: ml}
spec:
  replicas: 2
  rollout: {type: Recreate}
  worker: {spec: {containers: [{name: a, image: b, resources: {limits: {nvidia.com/gpu: 1}}}]}}
  helper: {containers: [{name: a, image: b}]}
"""
ROW = "kinds:\n  - {kind: Flow, group: flows.example.com, template: spec.worker, replicas: spec.replicas%s}\n"


@pytest.fixture
def check(tmp_path):
    def run(more):
        (tmp_path / "inventory.yaml").write_text(CLUSTER)
        (tmp_path / "flow.yaml").write_text(FLOW)
        (tmp_path / ".kubelint-gpu.yaml").write_text(f"inventory: inventory.yaml\n{more}")
        return check_json("flow.yaml", "--select", "KLG1,KLG000", cwd=tmp_path)

    return run


def test_a_kind_of_the_configuration_is_rolled_out_as_it_says(check):
    assert check("").codes == ["KLG000"]
    assert check(ROW % ", update: RollingUpdate").codes == ["KLG101"]
    assert check(ROW % ", update: Recreate").codes == []
    assert check(ROW % ", strategy: spec.rollout").codes == []
    assert check(ROW % "").codes == []


def test_a_row_whose_template_is_not_there_silences_nothing(check):
    ran = check((ROW % "").replace("spec.worker", "'spec.workers[].template'"))
    assert ran.codes == ["KLG000"]
    assert (
        "kinds: in the configuration names no template of it: its pods are not judged"
        in ran.json["findings"][0]["message"]
    )


def test_entries_of_one_kind_are_templates_of_one_row():
    said = [
        {"kind": "Flow", "group": "f.x", "template": "spec.worker", "replicas": ["spec.replicas", "spec.shards"]},
        {"kind": "Flow", "group": "f.x", "template": "spec.helpers[]", "ends": True},
    ]
    (row,) = rows(said, lambda _, text: ValueError(text))
    assert [one["path"] for one in row["templates"]] == ["spec.worker", "spec.helpers[]"]
    assert (row["ends"], row.get("update")) == (True, None)
    containers = {"containers": [{"name": "a", "image": "b"}]}
    spec = {"replicas": 3, "shards": 2, "worker": {"spec": containers}, "helpers": [containers]}
    value = {"apiVersion": "f.x/v1", "kind": "Flow", "metadata": {"name": "a"}, "spec": spec}
    declare_rows([row])
    try:
        found = [one for one, _ in custom_workloads(value)]
    finally:
        declare_rows([])
    assert [(one.replicas, one.template_pointer, one.by_shape) for one in found] == [
        (6, ("spec", "worker"), False),
        (1, ("spec", "helpers"), False),
    ]


@pytest.mark.parametrize("group", ["flows.example.com/v1", "apps", "Flows.example.com", ".x"])
def test_a_group_that_no_custom_resource_has_is_refused(group):
    with pytest.raises(ValueError, match="must be an API group"):
        list(rows([{"kind": "Flow", "group": group, "template": "spec"}], lambda _, text: ValueError(text)))
