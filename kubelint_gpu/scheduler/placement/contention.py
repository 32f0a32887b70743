"""Who could evict whom where two kinds of pods want the same node."""

from __future__ import annotations

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.attempt import assume, attempt
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import replace


def evicts_on(name: str, attacker: Pod, holder: Pod, holders: int, empty: Snapshot) -> bool:
    """Whether pods of one kind evict one of another from a node that both fill.

    The node first takes as many of the `holders` as it can, then as many attackers as it can, then one more comes.
    `empty` is the cluster with nothing running.
    """
    node = empty.node(name)
    if node is None:
        return False
    snapshot = Snapshot.of(replace(empty.cluster, nodes=(node.node,), pods=()))
    placed = 0
    for pod, most in ((holder, holders), (attacker, PLACEMENT.of_one_kind)):
        for number in range(min(most, PLACEMENT.of_one_kind)):
            found = attempt(pod, snapshot)
            if found.fit is None or not found.fit.schedulable:
                break
            called = f"{pod.meta.name}-{number}"
            snapshot = assume(replace(pod, meta=replace(pod.meta, name=called, uid=called)), snapshot, name)
            placed += pod is holder
    if not placed:
        return False
    last = attempt(attacker, snapshot)
    if last.preemption is None or not last.preemption.succeeds:
        return False
    return any(victim.spec is holder.spec for victim in last.preemption.victims)
