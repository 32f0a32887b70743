"""The revisions of which a workload has pods before anything is rolled."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, anonymous, created_pod, identity


def revisions(participant: WorkloadChange, total: int) -> list[tuple[Pod, int, list[Pod]]]:
    """The kinds of `total` pods, oldest first: pod, how many, and those whose nodes are known.

    What is not known to run is of the newest revision, or of the old template where nothing runs.
    """
    if participant.settled:
        kept = participant.kept
        stays = [(created_pod(participant.old, "old"), kept)] if kept else []
        comes = [(created_pod(participant.new, "new"), total - kept)] if total > kept or not kept else []
        return [(pod, count, []) for pod, count in (*stays, *comes)]
    if not participant.running:
        return [(created_pod(participant.old, "old"), total, [])]
    groups: dict[tuple[object, ...], list[Pod]] = {}
    for pod in sorted(participant.running, key=lambda pod: (pod.meta.created, pod.meta.name)):
        groups.setdefault(identity(pod), []).append(pod)
    counts = [len(pods) for pods in groups.values()]
    counts[-1] += total - sum(counts)
    return [(anonymous(pods[0]), count, pods) for pods, count in zip(groups.values(), counts, strict=True)]


def revisions_with_waiting(participant: WorkloadChange) -> list[tuple[Pod, int, Sequence[Pod], int]]:
    """The revisions of a Deployment that is rolled, oldest first: with how many more pods of each wait for a node."""
    waiting: dict[tuple[object, ...], list[Pod]] = {}
    for pod in sorted(participant.waiting, key=lambda pod: (pod.meta.created, pod.meta.name)):
        waiting.setdefault(identity(pod), []).append(pod)
    wanted = max(0, participant.before - len(participant.waiting))
    found: list[tuple[Pod, int, Sequence[Pod], int]] = []
    if wanted or participant.running or not waiting:
        for pod, count, pods in revisions(participant, max(wanted, len(participant.running))):
            same = waiting.pop(identity(pods[0]), []) if pods else []
            found.append((pod, count, pods, len(same)))
    # a template of which nothing runs was the last to come
    return found + [(anonymous(pods[0]), 0, (), len(pods)) for pods in waiting.values()]
