"""Which constraint keeps replicas out, and how many find a node."""

from __future__ import annotations

import pytest
from checks_units import deployment, unit
from spread_objects import HOST, ZONE, even, node, pod

from kubelint_gpu.analysis.affinity.spread import counted_pods, uneven_domains
from kubelint_gpu.scheduler import Snapshot, read_cluster
from kubelint_gpu.values import replace


def asked(wanted, *constraints, gpus=(1, 8)):
    cluster = read_cluster([node("a", "east", gpus[0]), node("b", "west", gpus[1])], version="1.34", complete=True)
    mine = pod(spread=constraints)
    (subject,) = unit(deployment(name="a", spec=f"replicas: {wanted}")).subjects
    meta = replace(subject.workload.meta, namespace="ml")
    return uneven_domains(replace(subject.workload, meta=meta, spec=mine.spec), mine, wanted, Snapshot.of(cluster))


@pytest.mark.parametrize(("wanted", "placed"), [(3, None), (4, 3)])
def test_a_full_zone_holds_back_the_others(wanted, placed):
    found = asked(wanted, even())
    assert (found and found.placed) == placed


def test_of_two_constraints_the_one_is_told_without_which_more_find_a_node():
    found = asked(4, even(skew=9, topologyKey=HOST), even())
    assert (found.constraint, found.placed) == (1, 3)


def test_replicas_that_lack_room_anyway_are_not_its_affair():
    assert asked(10, even(), gpus=(1, 1)) is None


def test_pods_of_the_namespace_that_the_selector_matches_are_counted():
    here = [replace(pod(app), spec=replace(pod(app).spec, node_name="b")) for app in ("a", "b")]
    cluster = read_cluster([node("a", "east"), node("b", "west")], version="1.34", complete=True)
    mine = pod(spread=[even()])
    found = counted_pods(mine, mine.spec.spread[0], Snapshot.of(replace(cluster, pods=tuple(here))))
    assert found == {"west": 1}
    assert mine.spec.spread[0].topology_key == ZONE
