"""Which claims not every pod can use at once."""

from __future__ import annotations

from checks_units import deployment, unit
from exclusive_objects import CLAIMS, said

from kubelint_gpu.evidence.exclusive_lines import exclusive_claims
from kubelint_gpu.evidence.stakes import stakes
from kubelint_gpu.simulation.search.trace import Blocker, Waiting


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
