"""What a page draws: the moments of the simulated rollout, and the declared cluster."""

from __future__ import annotations

from pathlib import Path

import pytest
from checks_units import GPU_NODE, deployment, unit, world

from kubelint_gpu.engine.run import check
from kubelint_gpu.findings.picture import Holding
from kubelint_gpu.views.cluster_view import MOST_GROUPS, cluster_picture

EXAMPLES = Path(__file__).parents[2] / "examples"


def drawn(text, inventory):
    found = unit(text, inventory)
    return [one for one in check((found,), found.world, stages=True).findings if one.stage is not None]


def test_each_step_of_the_trace_has_the_moment_that_the_replay_saw():
    (found,) = drawn(deployment(), GPU_NODE % 1)
    stage = found.stage
    assert len(stage.steps) == len(found.trace)
    assert stage.steps == (0, 1, 2, 2, 2), "the scheduler's refusal and the standstill change nothing"
    assert [node.names for node in stage.nodes] == ["gpu-1"]
    assert [moment.nodes[0].used for moment in stage.moments] == [("1 of 1",)] * 3
    assert stage.moments[-1].waiting == (Holding("serving/chat", "new", "waiting", 1, (), "1 nvidia.com/gpu"),)


def test_nobody_pays_for_a_picture_that_was_not_asked_for():
    found = unit(deployment(), GPU_NODE % 1)
    assert all(one.stage is None for one in check((found,), found.world).findings)


def test_a_picture_changes_no_finding():
    found = unit(deployment(), GPU_NODE % 1)
    assert check((found,), found.world).findings == check((found,), found.world, stages=True).findings


def test_a_pod_that_a_quota_refuses_stands_at_the_end():
    quota = "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\nspec: {hard: {requests.nvidia.com/gpu: 1}}\n"
    (found,) = drawn(deployment() + quota, GPU_NODE % 4)
    assert found.code == "KLG105"
    assert [moment.waiting for moment in found.stage.moments[:-1]] == [()] * (len(found.stage.moments) - 1)
    assert [(one.phase, one.age) for one in found.stage.moments[-1].waiting] == [("refused", "new")]


def test_what_runs_short_has_a_row_even_if_it_is_no_gpu():
    (found,) = drawn(deployment(limits="{cpu: 10}", pod="nodeSelector: {kubernetes.io/hostname: gpu-1}"), GPU_NODE % 1)
    (node,) = found.stage.nodes
    assert [(row.name, row.devices, row.whole) for row in node.rows] == [("GPU", True, "1"), ("CPU", False, "16")]
    assert found.stage.moments[0].nodes[0].used == ("0 of 1", "10 of 16")


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
    (node,) = found.stage.nodes
    assert (node.names, node.count) == ("gpu-[1-3]", 3)


def test_the_cluster_folds_nodes_that_hold_the_same():
    running = "".join(
        f"  - {{name: t{i}, namespace: ml, node: gpu-{i}, gpus: {2 if i <= 150 else 1}, owner: StatefulSet/ml/train}}\n"
        for i in range(1, 201)
    )
    found = cluster_picture(
        world(
            "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\npools:\n"
            "  - name: gpu\n    count: 200\n"
            "    template: {allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 2}}\n"
            f"running:\n{running}"
        )
    )
    (kind,) = found.classes
    assert (found.nodes, kind.count, kind.names) == (200, 200, "gpu-[1-200]")
    assert [(group.count, group.holdings[0].amounts) for group in kind.groups] == [(150, (2,)), (50, (1,))]


def test_many_different_nodes_of_a_class_are_counted_not_listed():
    running = "".join(
        f"  - {{name: t{i}, namespace: ml, node: gpu-{i}, gpus: 1, owner: StatefulSet/ml/s{i}}}\n" for i in range(1, 31)
    )
    found = cluster_picture(
        world(
            "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\npools:\n"
            "  - name: gpu\n    count: 30\n"
            "    template: {allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 2}}\n"
            f"running:\n{running}"
        )
    )
    (kind,) = found.classes
    assert len(kind.groups) == MOST_GROUPS
    assert kind.left_out == 30 - MOST_GROUPS


def test_shares_of_a_gpu_are_called_so():
    (kind,) = cluster_picture(
        world(
            "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes:\n"
            "  - {name: a, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 1, sharing: {timeSlicing: {replicas: 4}}}}\n"
        )
    ).classes
    assert [(row.name, row.total) for row in kind.rows] == [("GPU share", 4)]


@pytest.mark.parametrize("text", ["", "kind: ClusterInventory\n"])
def test_without_a_usable_inventory_there_is_no_picture(text):
    assert cluster_picture(world(text)) is None


@pytest.mark.parametrize("folder", sorted(path.parent.name for path in EXAMPLES.glob("*/manifest.yaml")))
def test_every_story_of_the_examples_is_drawn_and_no_node_holds_more_than_it_has(folder):
    manifest, inventory = ((EXAMPLES / folder / name).read_text() for name in ("manifest.yaml", "inventory.yaml"))
    found = unit(manifest, inventory)
    for finding in check((found,), found.world, stages=True).findings:
        assert (finding.stage is not None) == bool(finding.trace)
        if finding.stage is None:
            continue
        assert len(finding.stage.steps) == len(finding.trace)
        assert set(finding.stage.steps) == set(range(len(finding.stage.moments))), "no moment is left out"
        for moment in finding.stage.moments:
            for node, now in zip(finding.stage.nodes, moment.nodes, strict=True):
                for place, row in enumerate(node.rows):
                    held = [one.amounts[place] for one in now.holdings if one.phase not in ("nominated", "pending")]
                    assert sum(held) <= row.total
