"""Faults of claims become findings in one way, whichever rule they are of."""

from __future__ import annotations

from kubelint_gpu.analysis.devices.claim_limits import limit_faults
from kubelint_gpu.analysis.devices.claim_shapes import shape_faults
from kubelint_gpu.builders.faulty_claims import faulty_claims
from kubelint_gpu.documents import read
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext

CLAIM = b"""apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: one, namespace: ns}
spec:
  devices:
    requests:
      - name: gpu
        deviceClassName: gpu.example.com
      - name: many
        exactly: {deviceClassName: gpu.example.com, count: 40}
"""


def told(code, faults, text=CLAIM):
    unit = ApplySet((read("a.yaml", text),), ClusterContext())
    return [(one.code, one.place.line, one.cause, one.severity) for one in faulty_claims(code, faults(unit))]


def test_a_fault_is_told_at_its_key_or_at_its_value() -> None:
    assert told("KLG705", shape_faults)[0][:2] == ("KLG705", 8)
    assert told("KLG706", limit_faults) == [("KLG706", 10, "devices", None)]


def test_a_field_that_no_version_has_is_of_no_other_version() -> None:
    misspelt = CLAIM.replace(b"count: 40", b"conut: 4")
    assert [line for _, line, _, _ in told("KLG705", shape_faults, misspelt)] == [8]
