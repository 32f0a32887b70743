"""The cluster and the workload of which hover and completion speak."""

from editor import TRACKER

TEXT = (TRACKER / "tracker.yaml").read_text()
CLUSTER = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
- {name: a, allocatable: {cpu: 8, memory: 32Gi}, gpus: {model: A100-PCIE-40GB, count: 2}, labels: {zone: north, "on": "true"}}
- name: b
  allocatable: {cpu: 8, memory: 32Gi}
  labels: {zone: south}
  taints: ["dedicated=vision:NoSchedule"]
pools:
- name: later
  count: 0
  template: {allocatable: {cpu: 4, memory: 8Gi}, labels: {zone: later}}
  autoscaling: {min: 0, max: 2}
priorityClasses:
- {name: serving, value: 1000}
"""
HEAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
