"""Which pods can preempt which, if two kinds of pods want the same node."""

from __future__ import annotations

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.attempt import attempt
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.placement.filling import fill
from kubelint_gpu.values import replace


def evicts_on(name: str, attacker: Pod, holder: Pod, holders: int, empty: Snapshot) -> bool:
    """Whether pods of one kind preempt pods of another on a node that both fill.

    The node first takes as many of the `holders` as possible, then as many attackers as possible, then one more comes.
    `empty` is the cluster without running pods.
    """
    node = empty.node(name)
    if node is None:
        return False
    snapshot = Snapshot.of(replace(empty.cluster, nodes=(node.node,), pods=()))
    # each by itself, as a victim that preemption may choose
    held = fill(holder, min(holders, PLACEMENT.of_one_kind), snapshot, choose=min)
    if not held.placed:
        return False
    snapshot = fill(attacker, PLACEMENT.of_one_kind, held.snapshot).snapshot
    last = attempt(attacker, snapshot)
    if last.preemption is None or not last.preemption.succeeds:
        return False
    return any(victim.spec is holder.spec for victim in last.preemption.victims)
