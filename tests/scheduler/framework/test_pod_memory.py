"""Answers that are kept for pods that are alike."""

from __future__ import annotations

from plugin_objects import node, pod

from kubelint_gpu.scheduler import (
    Snapshot,
    fit,
    read_cluster,
    read_pod,
)


def test_a_memory_that_is_full_forgets_and_answers_the_same(monkeypatch):
    monkeypatch.setattr("kubelint_gpu.scheduler.framework.pod_memory._LARGEST", 2)
    nodes = [node(f"n{number:02}", zone="a") for number in range(30)]
    pods = [pod(f"p{number}", f"n{number:02}", labels={"app": str(number % 3)}) for number in range(30)]
    snapshot = Snapshot.of(read_cluster([*nodes, *pods], version="1.34"))
    for zone, fits in (("a", 30), ("b", 0), ("a", 30)):
        assert len(fit(read_pod(pod(nodeSelector={"topology.kubernetes.io/zone": zone})), snapshot).fits) == fits
