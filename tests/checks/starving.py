"""Jobs beside a workload that has the only GPU."""

from __future__ import annotations

from checks_units import GPU_NODE, findings

NODES = GPU_NODE % 1 + "  - {name: low, value: 10}\n"
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
