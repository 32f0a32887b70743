"""What findings say of pods that wait for devices."""

from __future__ import annotations

from checks_units import findings, unit

from kubelint_gpu.scheduler import assume
from kubelint_gpu.scheduler.explain.explanation import explain
from kubelint_gpu.values import replace

DRIVER = "gpu.example.com"
DEVICES = f"""\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
---
apiVersion: v1
kind: Node
metadata: {{name: n1, labels: {{kubernetes.io/hostname: n1}}}}
status: {{allocatable: {{cpu: "8", memory: 64Gi, pods: "110"}}}}
---
apiVersion: v1
kind: Node
metadata: {{name: n2, labels: {{kubernetes.io/hostname: n2}}}}
status: {{allocatable: {{cpu: "8", memory: 64Gi, pods: "110"}}}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: gpu}}
spec: {{selectors: [{{cel: {{expression: "device.driver == '{DRIVER}'"}}}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: n1-gpu}}
spec:
  driver: {DRIVER}
  pool: {{name: n1, generation: 1, resourceSliceCount: 1}}
  nodeName: n1
  devices: [{{name: gpu-0}}]
"""
CLAIMS = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one, namespace: d}
spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared, namespace: d}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
---
"""


def deployment(entry, cpu="1"):
    return f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: d}}
spec:
  replicas: 1
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers:
        - name: c
          image: i
          resources: {{requests: {{cpu: "{cpu}"}}, claims: [{{name: c}}]}}
      resourceClaims: [{{name: c, {entry}}}]
"""


def test_a_deadlock_names_the_device_and_who_has_it():
    (found,) = findings(CLAIMS + deployment("resourceClaimTemplateName: one"), DEVICES, "KLG101")
    assert "the new pod waits for device gpu.example.com/n1/gpu-0 on n1, held by the old pod" in found.message
    assert found.certainty == "certain"
    told = [one.message for one in found.related]
    assert "each pod has devices of its own" in told
    assert f"n1 has 1 device of {DRIVER}" in told
    assert "0 of 1 device free on n1" in found.trace[0].message


def test_a_claim_that_is_shared_keeps_pods_on_its_node():
    both = DEVICES + "---" + DEVICES.rpartition("---")[2].replace("n1", "n2")
    (found,) = findings(CLAIMS + deployment("resourceClaimName: shared", "6"), both, "KLG101")
    assert "(cannot reach claim d/shared, which is allocated to n2) while the old pod has the claim" in found.message
    assert not findings(CLAIMS + deployment("resourceClaimName: shared", "2"), both, "KLG1")


def test_a_refused_claim_is_told_as_a_claim():
    quota = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: d}
spec: {hard: {count/resourceclaims.resource.k8s.io: "2"}}
---
"""
    more = DEVICES.replace("[{name: gpu-0}]", "[{name: gpu-0}, {name: gpu-1}]")
    (found,) = findings(quota + CLAIMS + deployment("resourceClaimTemplateName: one"), more, "KLG105")
    assert "a claim of the new pod is refused by quota q" in found.message
    assert any(one.actor == "resource claim controller" for one in found.trace)


def test_without_slices_a_rollout_with_claims_is_undecided():
    nothing = DEVICES.partition("apiVersion: resource.k8s.io/v1\nkind: ResourceSlice")[0].removesuffix("---\n")
    (found,) = findings(CLAIMS + deployment("resourceClaimTemplateName: one"), nothing, "KLG107")
    assert "devices that its resource claims ask for" in found.message
    assert "ResourceSlices" in found.help[0]


def test_an_explanation_counts_the_devices_of_a_node_and_says_who_has_them():
    found = unit(CLAIMS + deployment("resourceClaimTemplateName: one"), DEVICES)
    pod = found.subjects[0].pod
    first = {row.nodes[0]: row for row in explain(pod, found.empty).classes}
    assert first["n1"].devices == ((1, 1), (1, 1))
    assert first["n1"].fits
    assert first["n2"].devices == ((0, 0), (0, 0))
    old = replace(pod, meta=replace(pod.meta, name="old", uid="old"))
    beside = {row.nodes[0]: row for row in explain(pod, assume(old, found.empty, "n1")).classes}
    assert beside["n1"].devices == ((0, 0), (1, 1))
    assert [holder.pods for holder in beside["n1"].holders] == [("d/old",)]
    assert len(beside["n1"].remedies) == 1
