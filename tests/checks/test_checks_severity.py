"""Severities as the catalogue has them: a pin is a note, and a warning where something hangs on it."""

from __future__ import annotations

import pytest
from checks_units import NODES, deployment, findings

TWO = NODES.replace("name: gpu-1", "name: gpu-1, labels: {kubernetes.io/hostname: gpu-1}").replace(
    "  - name: gpu-1, labels: {kubernetes.io/hostname: gpu-1}\n",
    "  - name: gpu-2\n    labels: {pool: gpu}\n    allocatable: {cpu: 16, memory: 64Gi}\n    gpus: {model: L4, count: 1}\n"
    "  - name: gpu-1\n",
)
PIN = "nodeSelector: {kubernetes.io/hostname: gpu-1}"
BUDGET = (
    "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: all, namespace: serving}\n"
    "spec: {minAvailable: 1, selector: {matchLabels: {app: chat}}}\n"
)


@pytest.mark.parametrize(
    ("spec", "more", "severity"),
    [
        ("strategy: {type: Recreate}", "", "note"),
        ("strategy: {type: Recreate}", BUDGET, "warning"),
        ("strategy: {type: RollingUpdate}", "", "warning"),
    ],
)
def test_a_pin_is_a_warning_where_a_rollout_or_a_drain_hangs_on_it(spec, more, severity):
    (found,) = findings(deployment(spec=spec, pod=PIN) + more, TWO, "KLG203")
    assert found.severity == severity


@pytest.mark.parametrize("other", ["", "replicas: 2"])
def test_an_object_that_is_there_twice_is_an_error_whatever_it_holds(other):
    text = deployment(spec="replicas: 1") + "---\n" + deployment(spec=other or "replicas: 1")
    (found,) = findings(text, "", "KLG007")
    assert found.severity == "error"
