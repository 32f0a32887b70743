"""Which lines are pointed at for what pods hold exclusively."""

from __future__ import annotations

import pytest
from checks_units import NODES, deployment, findings

GPU = "nvidia.com/gpu"


def only(found):
    (one,) = found
    return one


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
