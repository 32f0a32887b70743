"""Claims that many pods share are counted where nobody else may have their devices."""

from __future__ import annotations

import pytest

from conformance.device_objects import (
    DRIVER,
    claim,
    claim_spec,
    claim_template,
    device,
    device_class,
    devices,
    request,
    resource_slice,
    using,
)
from conformance.objects import SECOND, deployment, node
from conformance.rollout_case import merged
from kubelint_gpu.kube.objects.cluster import read_cluster
from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.transition import Transition

POOL = using("pool", template=False)


def verdicts(*inventory, rolled):
    cluster = read_cluster([*inventory, device_class()], version="1.34.1")
    transitions = [Transition(read_workload(merged(one, SECOND)), read_workload(one)) for one in rolled]
    return [found.verdict.value for found in judge(transitions, cluster)]


@pytest.mark.parametrize(("replicas", "expected"), [(6, "completes"), (9, "completes"), (60, "completes")])
def test_many_pods_share_a_claim(replicas, expected) -> None:
    inventory = node("n1", 0, cpu="256"), resource_slice("n1", devices(1)), claim("pool")
    assert verdicts(*inventory, rolled=[deployment("web", replicas, POOL)]) == [expected]


def test_a_claim_beside_others_that_choose_among_other_devices() -> None:
    picky = claim("pool", claim_spec(request("gpu", 1, f'device.attributes["{DRIVER}"].model == "H100"')))
    others = claim_template("gpu", claim_spec(request("gpu", 1, f'device.attributes["{DRIVER}"].model == "A100"')))
    found = [device("gpu-0", "H100"), *(device(f"gpu-{number}") for number in range(1, 8))]
    inventory = node("n1", 0, cpu="256"), resource_slice("n1", found), picky, others
    assert verdicts(*inventory, rolled=[deployment("web", 9, POOL), deployment("own", 5, using("gpu"))]) == [
        "completes",
        "completes",
    ]


def test_what_somebody_else_may_have_is_not_counted() -> None:
    inventory = node("n1", 0), resource_slice("n1", devices(2)), claim("pool"), claim_template()
    shared, own = verdicts(*inventory, rolled=[deployment("web", 1, POOL), deployment("own", 1, using("gpu"))])
    assert own == "stuck"
    assert shared != "stuck"
