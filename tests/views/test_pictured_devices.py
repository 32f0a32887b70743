"""Devices that claims have, in the pictures of the cluster and of rollouts."""

from __future__ import annotations

from checks_units import unit, world

from kubelint_gpu.engine.run import check
from kubelint_gpu.views import cluster_picture

INVENTORY = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.36"
nodes:
  - {name: m, allocatable: {cpu: 8, memory: 8Gi}, devices: [{model: H100-80GB-HBM3, count: 3%s}]}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: x}
spec:
  nodeName: m
  resourceClaims: [{name: g, resourceClaimName: c}]
  containers: [{name: a, image: i, resources: {claims: [{name: g}]}}]
status: {phase: Running}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: x}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.nvidia.com}}]}}
status:
  allocation: {devices: {results: [{request: g, driver: gpu.nvidia.com, pool: m, device: %s}]}}
  reservedFor: [{resource: pods, name: %s, uid: u}]
"""
ROLLOUT = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]
      containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
"""


def the_group(text):
    (kind,) = cluster_picture(world(text)).classes
    (group,) = kind.groups
    return group


def test_the_cluster_shows_who_has_which_device():
    group = the_group(INVENTORY % ("", "gpu-1", "p"))
    (row,) = group.rows
    assert (row.name, row.total, row.units) == ("NVIDIA H100 80GB HBM3", 3, (("gpu-0",), ("gpu-1",), ("gpu-2",)))
    assert [(one.owner, one.count, one.amounts, one.things) for one in group.holdings] == [
        ("x/p", 1, (1,), (("gpu-1",),))
    ]
    assert row.positions(group.holdings[0].things[0]) == [1]


def test_a_device_of_which_a_claim_has_a_part_is_held():
    group = the_group(INVENTORY % (", mig: dynamic", "gpu-2-mig-1g10gb-19-0", "p"))
    (row,) = group.rows
    assert row.positions(group.holdings[0].things[0]) == [2]
    assert group.holdings[0].things == (("gpu-2-mig-1g10gb-19-0",),)
    assert row.held(0, group.holdings * 2) == 1, "several parts of one device are one device"


def test_who_uses_a_claim_and_is_not_declared_holds_its_device_and_counts_as_no_pod():
    cluster, _, claim = (INVENTORY % ("", "gpu-1", "another")).split("---\n")
    group = the_group(f"{cluster}---\n{claim}")
    assert [(one.owner, one.things) for one in group.holdings] == [("x/another", (("gpu-1",),))]
    assert group.others == 0


def test_each_moment_of_a_rollout_shows_the_devices_of_each_pod():
    found = unit(ROLLOUT, INVENTORY % ("", "gpu-1", "p"))
    (finding,) = [one for one in check((found,), found.world, pictures=True).findings if one.code == "KLG101"]
    last = finding.picture.moments[-1]
    (now,) = last.nodes
    has = {one.owner: one.things for one in now.holdings}
    assert has == {"default/web": (("gpu-0", "gpu-2"),), "x/p": (("gpu-1",),)}
    assert now.used == ("3 of 3",)
    assert [(one.owner, one.takes, one.things) for one in last.waiting] == [("default/web", "devices of claim gpu", ())]
