"""Which lines are pointed at for what pods hold exclusively."""

from __future__ import annotations

import pytest
from checks_units import NODES, deployment, findings, unit

from kubelint_gpu.evidence.exclusive_lines import exclusive_claims
from kubelint_gpu.evidence.stakes import stakes
from kubelint_gpu.simulation.search.trace import Blocker, Waiting

GPU = "nvidia.com/gpu"


def only(found):
    (one,) = found
    return one


def said(found):
    return [(one.place.path, one.place.line, one.message) for one in found]


CLAIMS = (
    NODES
    + """\
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: models, namespace: serving}
spec: {accessModes: [ReadWriteOnce]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: shared, namespace: serving}
spec: {accessModes: [ReadWriteMany]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: foreign, namespace: other}
spec: {accessModes: [ReadWriteOncePod]}
"""
)


def test_only_claims_of_the_namespace_that_not_all_can_use_are_exclusive():
    names = ("models", "shared", "foreign", "unknown")
    volumes = ", ".join(f"{{name: {name}, persistentVolumeClaim: {{claimName: {name}}}}}" for name in names)
    found = unit(deployment(pod=f"volumes: [{volumes}]"), CLAIMS)
    assert exclusive_claims(found, found.subjects[0]) == ("models (ReadWriteOnce)",)
    lack = Blocker("gpu-1", "VolumeAttach", "Multi-Attach error", "volume")
    waiting = Waiting("Deployment/serving/chat", True, 1, lacks=(lack,))
    assert said(stakes(found, found.subjects[0], waiting))[0][2] == (
        "the claim is ReadWriteOnce: the pods of one node at a time"
    )


@pytest.mark.parametrize(
    ("mode", "ends", "told"),
    [
        ("ReadWriteOncePod", "never ends", ("error", "certain")),
        ("ReadWriteOnce", "may never end", ("warning", "possible")),
    ],
)
def test_where_only_the_manifest_knows_a_claim_its_mode_says_if_the_place_of_its_volume_matters(mode, ends, told):
    claim = (
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: serving}\n"
        f"spec: {{accessModes: [{mode}], resources: {{requests: {{storage: 1Gi}}}}}}\n"
    )
    pod = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"
    text = deployment(pod=pod, limits="{cpu: 1}", more="ports: [{containerPort: 80, hostPort: 80}]") + claim
    found = only([one for one in findings(text, NODES) if one.code in ("KLG102", "KLG104")])
    assert found.message.startswith(f"the rollout {ends}: ")
    assert (found.severity, found.certainty) == told
