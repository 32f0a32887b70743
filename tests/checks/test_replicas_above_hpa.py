"""Replicas that are written beside an autoscaler that sets fewer."""

from __future__ import annotations

import pytest
from autoscaler_objects import hpa
from checks_units import deployment, findings


@pytest.mark.parametrize("limits", ["{nvidia.com/gpu: 1}", "{cpu: 1}"])
def test_more_replicas_than_an_autoscaler_ever_sets_are_told_of_with_and_without_gpus(limits):
    above = deployment(spec="replicas: 9", limits=limits) + "---\n" + hpa(1, 5)
    (found,) = findings(above, "", "KLG117")
    assert (found.severity, found.message) == (
        "note",
        "each apply sets 9 replicas, more than HorizontalPodAutoscaler scaler ever sets, 5: it deletes 4 pods again",
    )
    within = deployment(spec="replicas: 5", limits=limits) + "---\n" + hpa(1, 5)
    assert bool(findings(within, "", "KLG117")) is ("gpu" in limits)
