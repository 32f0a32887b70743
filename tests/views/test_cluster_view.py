"""The picture of a cluster as plain values."""

from __future__ import annotations

from checks_units import GPU_NODE, deployment, unit

from kubelint_gpu.engine.run import check
from kubelint_gpu.findings.picture import Holding


def drawn(text, inventory):
    found = unit(text, inventory)
    return [one for one in check((found,), found.world, pictures=True).findings if one.picture is not None]


def test_each_step_of_the_trace_has_the_moment_that_the_replay_saw():
    (found,) = drawn(deployment(), GPU_NODE % 1)
    stage = found.picture
    assert len(stage.steps) == len(found.trace)
    assert stage.steps == (0, 1, 2, 2, 2), "the scheduler's refusal and the standstill change nothing"
    assert [node.names for node in stage.nodes] == ["gpu-1"]
    assert [moment.nodes[0].used for moment in stage.moments] == [("1 of 1",)] * 3
    assert stage.moments[-1].waiting == (Holding("serving/chat", "new", "waiting", 1, (), "1 nvidia.com/gpu"),)


def test_a_pod_that_a_quota_refuses_stands_at_the_end():
    quota = "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\nspec: {hard: {requests.nvidia.com/gpu: 1}}\n"
    (found,) = drawn(deployment() + quota, GPU_NODE % 4)
    assert found.code == "KLG105"
    assert [moment.waiting for moment in found.picture.moments[:-1]] == [()] * (len(found.picture.moments) - 1)
    assert [(one.phase, one.age) for one in found.picture.moments[-1].waiting] == [("refused", "new")]


def test_what_runs_short_has_a_row_even_if_it_is_no_gpu():
    (found,) = drawn(deployment(limits="{cpu: 10}", pod="nodeSelector: {kubernetes.io/hostname: gpu-1}"), GPU_NODE % 1)
    (node,) = found.picture.nodes
    assert [(row.name, row.devices, row.whole) for row in node.rows] == [("GPU", True, "1"), ("CPU", False, "16")]
    assert found.picture.moments[0].nodes[0].used == ("0 of 1", "10 of 16")


def test_nodes_on_which_the_same_happens_are_one():
    pools = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
pools:
  - name: gpu
    count: 3
    template: {allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 1}}
priorityClasses: [{name: serving, value: 1000}]
"""
    (found,) = drawn(deployment(spec="replicas: 3"), pools)
    (node,) = found.picture.nodes
    assert (node.names, node.count) == ("gpu-[1-3]", 3)
