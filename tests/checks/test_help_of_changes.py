"""What is said beside a change that the API server refuses, and beside a field that slid out of its mapping."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: serving, annotations: {%s}}
spec:
  template:
    spec:
      restartPolicy: Never
      priorityClassName: serving
      containers: [{name: main, image: "registry.example.com/main:%d"}]
"""


@pytest.mark.parametrize(
    ("annotation", "told"),
    [
        ("kustomize.toolkit.fluxcd.io/force: enabled", []),
        ("kustomize.toolkit.fluxcd.io/force: Enabled", []),
        ("kustomize.toolkit.fluxcd.io/force: disabled", ["error"]),
        ("kustomize.toolkit.fluxcd.io/force: true", ["error"]),
        ("kustomize.toolkit.fluxcd.io/prune: enabled", ["error"]),
    ],
)
def test_flux_makes_anew_what_says_so(annotation, told):
    found = findings(JOB % (annotation, 2), code="KLG009", before=JOB % (annotation, 1))
    assert [one.severity for one in found] == told


def test_a_claim_of_another_name_is_empty():
    claim = (
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: db, namespace: serving}\nspec:\n"
        "  accessModes: [ReadWriteOnce]\n  storageClassName: %s\n  resources: {requests: {storage: 1Gi}}\n"
    )
    (found,) = findings(claim % "fast", code="KLG009", before=claim % "slow")
    assert "a new, empty volume" in found.help[0]


@pytest.mark.parametrize(
    ("pod", "told"),
    [
        (
            "nodeSelector:\npool: gpu",
            ("nodeSelector above it is empty: indent pool further, so that it stands in nodeSelector",),
        ),
        ("nodeSelector:\n  zone: a\npool: gpu", ()),
    ],
)
def test_a_field_slid_out_of_the_mapping_above_it(pod, told):
    (found,) = findings(deployment(pod=pod), code="KLG002")
    assert found.help == told
