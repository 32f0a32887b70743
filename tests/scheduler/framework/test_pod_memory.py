"""Answers that are kept for pods that are alike."""

from __future__ import annotations

from plugin_objects import pod

from kubelint_gpu.scheduler import read_pod
from kubelint_gpu.scheduler.framework.pod_memory import PodMemory
from kubelint_gpu.scheduler.framework.release import behaviour


def test_a_memory_that_is_full_forgets_and_answers_the_same():
    pods = [read_pod(pod(f"p{number}", labels={"app": str(number)})) for number in range(3)]
    memory, computed = PodMemory(behaviour("1.34"), 2), []

    def label(one):
        computed.append(one.meta.name)
        return one.meta.labels["app"]

    for number in (0, 1, 0, 2, 1, 0):
        assert memory.of("label", pods[number], label) == str(number)
    assert computed == ["p0", "p1", "p2", "p1", "p0"]
