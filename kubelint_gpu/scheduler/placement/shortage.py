"""Equal pods that come one after the other until no node takes another one."""

from __future__ import annotations

from collections.abc import Collection

from kubelint_gpu.budget import STEPS
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.attempt import Attempt, assume, attempt, held
from kubelint_gpu.scheduler.fit import fit
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.placement.capacity import bound_on
from kubelint_gpu.values import replace
from kubelint_gpu.work import charge


def first_without_node(pod: Pod, snapshot: Snapshot, most: int) -> Attempt:
    """The attempt for the first pod that finds no node; for the one after `most` pods where all find one.

    Each goes to the first node that takes it.
    """
    first, snapshot = _filled(pod, snapshot, most)
    for number in range(first, most):
        found = attempt(pod, snapshot)
        if found.fit is None or not found.fit.schedulable:
            return found
        snapshot = assume(_numbered(pod, number), snapshot, found.fit.fits[0])
    return attempt(pod, snapshot)


def reasons_of(found: Attempt, nodes: Collection[str]) -> dict[tuple[str, str], tuple[str, ...]]:
    """For each reason and the resource that it says is short the nodes of some that it keeps the pod from.

    The first reason of each node counts.
    """
    rejections = found.fit.rejections if found.fit is not None else {}
    reasons: dict[tuple[str, str], tuple[str, ...]] = {}
    for node in sorted(nodes):
        for reason in rejections[node].shortages[:1] if node in rejections else ():
            reasons[reason] = (*reasons.get(reason, ()), node)
    return reasons


def taken_with_evictions(pod: Pod, snapshot: Snapshot, most: int) -> tuple[int, int]:
    """How many equal pods, up to `most`, get a node, one after the other, and how many pods are evicted for them."""
    evicted = 0
    first, snapshot = _filled(pod, snapshot, most)
    for number in range(first, most):
        found = attempt(pod, snapshot)
        if found.fit is None:
            return number, evicted
        if found.fit.schedulable:
            node = found.fit.fits[0]
        elif found.preemption is not None and found.preemption.succeeds:
            chosen = found.preemption.best[0]
            evicted += len(chosen.victims)
            node = chosen.node
            snapshot = snapshot.without([(victim, node) for victim in chosen.victims])
        else:
            return number, evicted
        snapshot = assume(_numbered(pod, number), snapshot, node)
    return most, evicted


def _filled(pod: Pod, snapshot: Snapshot, most: int) -> tuple[int, Snapshot]:
    """How many equal pods, up to `most`, find a node without evicting anybody, and the snapshot with them.

    None of them where that depends on what is on other nodes: then they are to be placed one by one.
    """
    if held(pod, snapshot):
        return 0, snapshot
    rooms = {name: bound_on(pod, snapshot, name, most) for name in fit(pod, snapshot).fits}
    if not all(exact for _, exact in rooms.values()):
        return 0, snapshot
    taken, infos = 0, {}
    for name, (room, _) in rooms.items():
        node, number = snapshot.node(name), min(room, most - taken)
        charge(number // STEPS.short_pods)
        if node is not None and number:
            infos[name] = node.with_pods(_numbered(pod, taken), number)
        taken += number
    return taken, snapshot.with_infos(infos)


def _numbered(pod: Pod, number: int) -> Pod:
    name = f"{pod.meta.name}-{number}"
    return replace(pod, meta=replace(pod.meta, name=name, uid=name))
