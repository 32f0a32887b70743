"""What a quota counts beyond the pods that are known stays used, whatever is rolled."""

from __future__ import annotations

from rollout_objects import deployment, node, pod

from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.simulation.prepare.quotas import with_unknown_use
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange


def quota(hard, used=None):
    return {
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "d"},
        "spec": {"hard": {"pods": str(hard)}},
        "status": {"hard": {"pods": str(hard)}, "used": {"pods": str(used)}} if used is not None else {},
    }


def unknown(used, replicas=2):
    cluster = read_cluster([node("n", 4), pod("stray", "n", 1), quota(9, used)])
    one = deployment(replicas=replicas)
    (found,) = with_unknown_use(cluster, [WorkloadChange(one, one, nodes=("n",))], ()).quotas
    return found.unknown


def test_what_the_status_counts_beyond_the_known_pods_is_somebodys():
    assert unknown(5) == {"pods": 2000}
    assert unknown(3) == {"pods": 0}
    assert unknown(1) == {"pods": 0}


def test_a_quota_without_status_has_no_unknown_use():
    assert unknown(None) == {"pods": 0}
