"""Where a pod names topology keys."""

from __future__ import annotations

import pytest
from checks_units import deployment, unit
from spread_objects import HOST, ZONE, even, pod

from kubelint_gpu.analysis.affinity.topology_keys import topology_uses, unlabelled

NEAR = {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": "b"}}}


def test_every_key_is_told_with_its_field_and_whether_the_scheduler_keeps_to_it():
    spec = pod(near=[NEAR], spread=[even(), even(whenUnsatisfiable="ScheduleAnyway")]).spec
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    assert [(one.key, one.pointer, one.hard) for one in topology_uses(spec)] == [
        (HOST, ("affinity", "podAffinity", required, 0, "topologyKey"), True),
        (ZONE, ("topologySpreadConstraints", 0, "topologyKey"), True),
        (ZONE, ("topologySpreadConstraints", 1, "topologyKey"), False),
    ]


@pytest.mark.parametrize(("key", "lacking"), [("pool", False), ("rack", True)])
def test_a_key_that_no_node_has_keeps_the_pod_waiting(key, lacking):
    spread = (
        f"topologySpreadConstraints: [{{topologyKey: {key}, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, "
        "labelSelector: {matchLabels: {app: chat}}}]\n"
    )
    found = unit(deployment(pod=spread))
    assert unlabelled(found, found.subjects[0]) is lacking
