"""Deployments that a Canary of Flagger names."""

from __future__ import annotations

import pytest
from change_cases import inventory, made
from checks_units import findings

from kubelint_gpu.kube.kinds.flagger_canary import canary_targets

CANARY = """\
---
apiVersion: flagger.app/v1beta1
kind: Canary
metadata: {name: web, namespace: serving}
spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: d}}
"""


@pytest.mark.parametrize(
    ("value", "targets"),
    [
        (
            {"metadata": {"namespace": "a"}, "spec": {"targetRef": {"kind": "Deployment", "name": "b"}}},
            {"Deployment/a/b"},
        ),
        ({"spec": {"targetRef": {"kind": "Deployment", "name": "b"}}}, {"Deployment/default/b"}),
        ({"spec": None, "metadata": []}, {"None/default/None"}),
    ],
)
def test_a_canary_names_its_target(value, targets):
    canary = {"apiVersion": "flagger.app/v1beta1", "kind": "Canary", **value}
    assert canary_targets([canary, {**canary, "apiVersion": "other.app/v1"}]) == targets


def test_a_deployment_with_a_canary_needs_room_for_all_of_its_pods_twice():
    """Its own strategy would need no further pod."""
    text = made("d", "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n", replicas=2).removeprefix("---\n")
    assert findings(text, inventory(3), "KLG101") == []
    (one,) = findings(text + CANARY, inventory(3), "KLG101")
    assert (one.severity, one.certainty) == ("warning", "possible")
    assert findings(text + CANARY, inventory(4), "KLG101") == []
    assert findings(text + CANARY.replace("name: d", "name: e"), inventory(3), "KLG101") == []
