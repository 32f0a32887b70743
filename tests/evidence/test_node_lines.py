"""Which lines of the inventory stand for nodes."""

from __future__ import annotations

from checks_units import deployment, unit

from kubelint_gpu.evidence.node_lines import clues, node_clues

GPU = "nvidia.com/gpu"


def said(found):
    return [(one.place.path, one.place.line, one.message) for one in found]


def test_nodes_of_one_line_are_told_together():
    pools = """\
    apiVersion: kubelint-gpu/v1
    kind: ClusterInventory
    pools:
      - name: gpu
        count: 2
        template: {gpus: {model: L4, count: 2}}
    nodes:
      - name: cpu-1
    """
    found = unit(deployment(), "\n".join(line[4:] for line in pools.splitlines()) + "\n")
    assert said(node_clues(found, ["gpu-1", "gpu-2", "cpu-1", "gone"], GPU)) == [
        ("inventory.yaml", 6, "gpu-1 and gpu-2 have 2 nvidia.com/gpu each"),
        ("inventory.yaml", 8, "cpu-1 has no nvidia.com/gpu"),
    ]
    assert said(node_clues(found, ["gpu-1", "gpu-2"], "")) == [
        ("inventory.yaml", 4, "gpu-1 and gpu-2 are declared here")
    ]


def test_selectors_say_what_they_leave():
    found = unit(deployment(pod="nodeSelector: {pool: gpu, zone: a}"))
    messages = [message for _, _, message in said(clues(found, found.subjects[0], "", ["gpu-1"]))]
    assert messages == ["only gpu-1 can take it", "and this binds it too", "gpu-1 is declared here"]
    left = [message for _, _, message in said(clues(found, found.subjects[0], "", ["gpu-1"], takes=False))]
    assert left[0] == "this leaves gpu-1"


def test_selectors_are_no_clue_where_every_node_is_left():
    found = unit(deployment(pod="nodeSelector: {kubernetes.io/os: linux}"))
    assert len(clues(found, found.subjects[0], "", ["gpu-1", "cpu-1"])) == 2
