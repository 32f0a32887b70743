"""Replicas that are written beside an autoscaler that sets fewer, or that a change removes."""

from __future__ import annotations

import pytest
from autoscaler_objects import hpa
from checks_units import deployment, findings, unit, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet


@pytest.mark.parametrize("limits", ["{nvidia.com/gpu: 1}", "{cpu: 1}"])
def test_more_replicas_than_an_autoscaler_ever_sets_are_told_of_with_and_without_gpus(limits):
    above = deployment(spec="replicas: 9", limits=limits) + "---\n" + hpa(1, 5)
    (found,) = findings(above, "", "KLG117")
    assert (found.severity, found.message) == (
        "note",
        "each apply sets 9 replicas, above the 5 that HorizontalPodAutoscaler scaler allows: the autoscaler then deletes 4 pods",
    )
    within = deployment(spec="replicas: 5", limits=limits) + "---\n" + hpa(1, 5)
    assert bool(findings(within, "", "KLG117")) is ("gpu" in limits)


REMOVED = "this change removes replicas, and kubectl apply then scales it to 1 once: "
AGAIN = " before HorizontalPodAutoscaler scaler scales it up again"


@pytest.mark.parametrize("limits", ["{nvidia.com/gpu: 1}", "{cpu: 1}"])
def test_an_apply_that_removes_replicas_scales_to_one(limits):
    before = deployment(spec="replicas: 4", limits=limits) + "---\n" + hpa(3, 5)
    after = deployment(limits=limits) + "---\n" + hpa(3, 5)
    (found,) = findings(after, "", "KLG117", before=before)
    assert (found.severity, found.certainty) == ("warning", "certain")
    assert found.message == f"{REMOVED}at least 2 pods are deleted{AGAIN}"


def test_pods_that_an_autoscaler_added_may_be_deleted():
    before = deployment(spec="replicas: 1") + "---\n" + hpa(1, 5)
    (found,) = findings(deployment() + "---\n" + hpa(1, 5), "", "KLG117", before=before)
    assert (found.severity, found.certainty) == ("note", "possible")
    assert found.message == f"{REMOVED}the pods that HorizontalPodAutoscaler scaler added are deleted{AGAIN}"


def test_the_replicas_before_are_deleted_if_the_autoscaler_is_new():
    before = deployment(spec="replicas: 4")
    after = deployment() + "---\n" + hpa(1, 5)
    old = {one.object: one for one in unit(before).manifests}
    judged = ApplySet(
        (read("a.yaml", after.encode()),), world(), before=old, made={"HorizontalPodAutoscaler/serving/scaler"}
    )
    (found,) = (one for one in check((judged,), judged.world).findings if one.code == "KLG117")
    assert (found.certainty, found.message) == ("certain", f"{REMOVED}3 of 4 pods are deleted{AGAIN}")


@pytest.mark.parametrize(
    ("before", "after", "bounds"),
    [
        ("", "", (3, 5)),
        ("replicas: 0", "", (3, 5)),
        ("replicas: 3", "", (1, 1)),
        ("replicas: 3", "replicas: 3", (3, 5)),
    ],
)
def test_an_apply_that_removes_no_number_is_no_finding(before, after, bounds):
    old, new = (deployment(spec=spec, limits="{cpu: 1}") + "---\n" + hpa(*bounds) for spec in (before, after))
    assert not findings(new, "", "KLG117", before=old)
