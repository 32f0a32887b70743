"""Pods of DaemonSets that find no room."""

from __future__ import annotations

from checks_units import deployment, findings

MOVED = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
complete: true
nodes:
  - {name: n1, labels: {zone: a, pool: a}, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: %d}}
  - {name: n2, labels: {zone: b}, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: %d}}
priorityClasses: [{name: serving, value: 1000}]
running:
"""


def runs(name, node, kind="Deployment"):
    more = f"priority: 1000, owner: {kind}/serving/{name}, labels: {{app: {name}}}, requests: {{nvidia.com/gpu: 1}}"
    return f"  - {{name: {name}-1, node: {node}, namespace: serving, {more}}}\n"


def test_workloads_that_move_together_and_want_each_other_near_wait_for_ever():
    """Seen on a control plane 1.34: where their old pods run is no company for the new ones."""

    def near(name, other, node):
        term = f"topologyKey: zone, labelSelector: {{matchLabels: {{app: {other}}}}}"
        wanted = f"affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{{term}}}]}}}}\n"
        return deployment(name=name, pod=f"nodeSelector: {{kubernetes.io/hostname: {node}}}\n{wanted}")

    cluster = MOVED % (2, 2) + runs("web", "n1") + runs("db", "n1")
    before, after = (f"{near('db', 'web', node)}---\n{near('web', 'db', node)}" for node in ("n1", "n2"))
    found = findings(after, cluster, before=before)
    assert {(one.object, one.certainty) for one in found if one.severity == "error"} == {
        ("Deployment/serving/db", "certain"),
        ("Deployment/serving/web", "certain"),
    }
