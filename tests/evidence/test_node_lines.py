"""Which lines of the inventory stand for nodes."""

from __future__ import annotations

import pytest
from checks_units import NODES, deployment, findings, unit

from kubelint_gpu.evidence.node_lines import clues, node_clues, port_lines, taken_by_each

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


PORTS = "ports: [{containerPort: 80, hostPort: 80}, {containerPort: 443, hostPort: 443}]"
RUNS = """running:
  - pod:
      apiVersion: v1
      kind: Pod
      metadata:
        name: web
        namespace: other
        ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: web, uid: u, controller: true}]
      spec: {nodeName: gpu-1, containers: [{name: a, image: a, ports: [{containerPort: 8080, hostPort: 443}]}]}
"""


def told(text, nodes, names=("gpu-1",)):
    found = unit(text, nodes)
    return [one.message for one in port_lines(found, found.subjects[0], names)]


def test_who_has_the_ports_is_told_where_anybody_has():
    text = deployment(more=PORTS, limits="{cpu: 1}")
    expected = ["each pod takes host port 443", "DaemonSet other/web has host port 443 on gpu-1"]
    assert told(text, NODES + RUNS) == expected
    assert told(text, NODES) == told(text, NODES + RUNS, ("gpu-2",)) == told(deployment(), NODES + RUNS) == []


def test_nothing_is_said_of_cpu_where_ports_are_taken():
    (found,) = findings(deployment(spec="replicas: 3", more=PORTS, limits="{cpu: 1}"), NODES + RUNS, "KLG109")
    assert " cpu" not in " ".join(one.message for one in found.related)


@pytest.mark.parametrize(("key", "told"), [("containers", "need together"), ("initContainers", "need at one time")])
def test_what_several_containers_need_is_a_sum_or_the_most_at_one_time(key, told):
    more = f"- {{name: more, image: i, resources: {{limits: {{{GPU}: 6}}}}}}"
    text = deployment(pod=f"initContainers:\n  {more}" if key == "initContainers" else "")
    if key == "containers":
        text = text.replace("containers:\n", f"containers:\n        {more}\n", 1)
    (subject,) = unit(text, NODES).subjects
    messages = [message for _, _, message in said(taken_by_each(subject.manifest, GPU, 7))]
    assert [message.endswith(told) for message in messages] == [True, True]
