"""Workloads whose places depend on each other."""

from __future__ import annotations

from rollout_objects import apart, cluster, deployment, node

from kubelint_gpu.simulation.prepare.coupling import bound_workloads
from kubelint_gpu.values import replace

HOST = "kubernetes.io/hostname"
NODES = (node("n", 4), node("m", 4), node("o", 4))


def near(name, key=HOST):
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": name}}}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def test_whose_places_depend_on_each_other():
    one, two, three = deployment("a", affinity=near("b")), deployment("b"), deployment("c", affinity=apart("b"))
    free = deployment("d", affinity=apart("d"))
    found = cluster(*NODES)
    assert bound_workloads(one, [two, three, free], found) == (0, 1)
    assert bound_workloads(two, [one, three, free], found) == (0, 1)
    assert bound_workloads(free, [one, two, three], found) == ()
    elsewhere = replace(two, meta=replace(two.meta, namespace="other"))
    elsewhere = replace(elsewhere, template=replace(elsewhere.template, namespace="other"))
    assert bound_workloads(one, [elsewhere], found) == ()
