"""StatefulSets whose old pods never fitted: whether a new template reaches them."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, node, workload

from kubelint_gpu.simulation.questions.forced_rollback import forced_rollback


@pytest.mark.parametrize(("version", "waits"), [("1.34", False), ("1.35.2", True), ("1.35.4", False), ("1.36", False)])
def test_a_parallel_set_replaces_pods_that_never_fitted_where_it_does_not_count_them(version, waits):
    parallel = {"serviceName": "w", "podManagementPolicy": "Parallel"}
    old, new = (workload("StatefulSet", "w", 3, gpus, more=parallel) for gpus in (4, 1))
    found = forced_rollback(old, new, cluster(*[node(f"n{number}") for number in range(3)], version=version))
    assert (found is not None) is waits


def test_an_ordered_set_never_replaces_a_pod_that_never_fitted():
    old, new = (workload("StatefulSet", "w", 3, gpus, more={"serviceName": "w"}) for gpus in (4, 1))
    found = forced_rollback(old, new, cluster(*[node(f"n{number}") for number in range(3)]))
    assert found is not None
    assert [(one.pod, one.new) for one in found.waiting] == [("w-0", False)]
    assert forced_rollback(new, new, cluster(node("n", 3))) is None, "its pod fits, and the rollout ends"
