"""Jobs beside workloads that run for good."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, job, node, pod

from kubelint_gpu.simulation.questions.jobs_beside import jobs_beside, may_evict, parts_of, staying_pods
from kubelint_gpu.values import replace


@pytest.mark.parametrize(("priority", "simulated"), [(0, True), (5, False)])
def test_a_job_that_could_evict_some_of_the_others_is_not_simulated_beside_them(priority, simulated):
    mine = job("j", 1)
    mine = replace(mine, spec=replace(mine.spec, priority=priority))
    others = [deployment("w")]
    assert may_evict([mine], others) is not simulated
    assert (jobs_beside([mine], others, cluster(node("n", 2))) is not None) is simulated


def test_running_pods_stay_that_never_end():
    here = cluster(node("n", 4), pod("x-1", "n", owner=("StatefulSet", "x")), pod("k-1", "n", owner=("Job", "k")))
    assert {one.meta.name for one in staying_pods([job("j", 1)], [deployment("w")], here)} == {"x-1"}


def test_templates_of_one_job_have_names_of_their_own():
    assert [one.meta.name for one in parts_of([job("j", 1), job("j", 2)])] == ["j-0", "j-1"]
    assert [one.meta.name for one in parts_of([job("j", 1)])] == ["j"]
