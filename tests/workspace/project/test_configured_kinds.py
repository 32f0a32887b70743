"""Custom resources that the configuration describes."""

from __future__ import annotations

import pytest
from command_line import check_json

from kubelint_gpu.kube.kinds.custom_workload import custom_workloads, declare_rows
from kubelint_gpu.workspace.project.configured_kinds import rows

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
