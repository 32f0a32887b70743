"""Claims for devices that one bare pod alone will ever have."""

from __future__ import annotations

import pytest
from device_objects import CLASS, asking, claim, plain, slices, template

from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.transition import Transition


@pytest.mark.parametrize("devices", [2, 3])
def test_a_claim_that_one_bare_pod_names_is_as_one_that_is_made_for_it(devices):
    def placed(entries, *objects):
        bare = [
            read_workload({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p{number}", "namespace": "d"},
                           "spec": {"containers": [{"name": "c", "image": "i"}], "resourceClaims": [entry]}})
            for number, entry in enumerate(entries)
        ]  # fmt: skip
        cluster = read_cluster([CLASS, plain("n1"), slices("n1", *["A"] * devices), *objects], version="1.34")
        return [
            (one.room.placed, one.by) for one in judge([Transition(one, one, existing=False) for one in bare], cluster)
        ]

    own = placed(
        [{"name": "c", "resourceClaimName": f"c{number}"} for number in range(3)],
        *(claim(f"c{number}", asking()) for number in range(3)),
    )
    made = placed([{"name": "c", "resourceClaimTemplateName": "t"}] * 3, template("t", asking()))
    shared = placed([{"name": "c", "resourceClaimName": "c"}] * 3, claim("c", asking()))
    assert own == made
    assert [number for number, _ in own] == [int(devices == 3)] * 3
    assert [number for number, _ in shared] == [1] * 3
