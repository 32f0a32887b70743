"""Beside which workloads Jobs run."""

from __future__ import annotations

from checks_units import deployment, findings

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - name: gpu-1
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: 1}
priorityClasses:
  - {name: serving, value: 1000}
  - {name: low, value: 10}
"""
TEMPLATE = """\
      template:
        spec:
          priorityClassName: PRIORITY
          restartPolicy: Never
          containers:
            - name: main
              image: registry.example.com/main:1
              resources: {limits: {nvidia.com/gpu: 1}}
"""


def job(more=""):
    template = TEMPLATE.replace("PRIORITY", "serving").replace("      template", "  template")
    return f"---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: once, namespace: serving}}\nspec:\n  {more}\n{template}"


def told(text, inventory=NODES):
    return [one for one in findings(text, inventory) if one.cause == "starving"]


def test_the_pods_of_a_daemon_set_stay_where_they_are():
    daemons = deployment(name="agent").replace("kind: Deployment", "kind: DaemonSet")
    (found,) = told(daemons + job())
    assert (found.object, found.certainty) == ("Job/serving/once", "certain")
    assert told(daemons + job(), NODES.replace("count: 1", "count: 2")) == []
