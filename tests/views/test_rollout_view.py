"""What a page draws: the moments of the simulated rollout, and the declared cluster."""

from __future__ import annotations

from pathlib import Path

import pytest
from checks_units import GPU_NODE, deployment, unit, world

from kubelint_gpu.engine.run import check
from kubelint_gpu.views import MOST_GROUPS, cluster_picture

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_nobody_pays_for_a_picture_that_was_not_asked_for():
    found = unit(deployment(), GPU_NODE % 1)
    assert all(one.picture is None for one in check((found,), found.world).findings)


def test_a_picture_changes_no_finding():
    found = unit(deployment(), GPU_NODE % 1)
    assert check((found,), found.world).findings == check((found,), found.world, pictures=True).findings


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
    assert [(row.name, row.total) for row in kind.groups[0].rows] == [("GPU share", 4)]


@pytest.mark.parametrize("text", ["", "kind: ClusterInventory\n"])
def test_without_a_usable_inventory_there_is_no_picture(text):
    assert cluster_picture(world(text)) is None


@pytest.mark.parametrize("folder", sorted(path.parent.name for path in EXAMPLES.glob("*/manifest.yaml")))
def test_every_story_of_the_examples_is_drawn_and_no_node_holds_more_than_it_has(folder):
    manifest, inventory = ((EXAMPLES / folder / name).read_text() for name in ("manifest.yaml", "inventory.yaml"))
    found = unit(manifest, inventory)
    for finding in check((found,), found.world, pictures=True).findings:
        assert (finding.picture is not None) == bool(finding.trace)
        if finding.picture is None:
            continue
        assert len(finding.picture.steps) == len(finding.trace)
        assert set(finding.picture.steps) == set(range(len(finding.picture.moments))), "no moment is left out"
        for moment in finding.picture.moments:
            for node, now in zip(finding.picture.nodes, moment.nodes, strict=True):
                for place, row in enumerate(node.rows):
                    held = [one.amounts[place] for one in now.holdings if one.phase not in ("nominated", "pending")]
                    assert sum(held) <= row.total
