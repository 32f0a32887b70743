"""Jobs beside a workload that has the only GPU."""

from __future__ import annotations

from checks_units import findings

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
