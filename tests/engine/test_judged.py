"""What the rules say of one unit."""

from __future__ import annotations

from checks_units import NODES, deployment, unit

from kubelint_gpu.engine.judged import judged_unit
from kubelint_gpu.engine.selection import Suppression

PORT = "ports: [{containerPort: 80, hostPort: 80}]"


def codes(judged):
    return {one.finding.code for one in judged.found}


def test_what_is_suppressed_is_counted_and_not_told():
    text = deployment(more=PORT)
    told = judged_unit(unit(text, NODES), Suppression(), fixes=False, pictures=False)
    ignored = deployment(more=f"{PORT} # kubelint-gpu: ignore[KLG102] wanted")
    fewer = judged_unit(unit(ignored, NODES), Suppression(), fixes=False, pictures=False)
    assert (codes(told), told.ignored, told.workloads) == ({"KLG102"}, 0, 1)
    assert (codes(fewer), fewer.ignored, fewer.workloads) == (set(), 1, 1)


def test_fixes_and_pictures_are_made_where_they_are_asked_for():
    full = judged_unit(unit(deployment(more=PORT), NODES), Suppression(), fixes=True, pictures=True)
    plain = judged_unit(unit(deployment(more=PORT), NODES), Suppression(), fixes=False, pictures=False)
    assert any(one.finding.fixes for one in full.found)
    assert not any(one.finding.fixes or one.finding.picture for one in plain.found)
    assert codes(full) == codes(plain)


def test_claims_that_nobody_declares_are_known_to_be_so():
    volume = "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]"
    claim = (
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: serving}\n"
        "spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}\n"
    )
    for text, nodes, unknown in (
        (deployment(pod=volume), NODES, {"serving/data"}),
        (deployment(pod=volume) + claim, NODES, set()),
        (deployment(pod=volume), "", set()),
    ):
        assert judged_unit(unit(text, nodes), Suppression(), fixes=False, pictures=False).unknown == unknown
