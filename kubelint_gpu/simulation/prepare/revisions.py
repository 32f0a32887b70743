"""The revisions of which a workload has pods before anything is rolled, and which of them is the new template."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.simulation.controllers.stage import Revision
from kubelint_gpu.simulation.prepare.shown_templates import is_of, shown_template
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, anonymous, created_pod, identity


def revisions(participant: WorkloadChange, total: int) -> list[Revision]:
    """The revisions of `total` pods, oldest first.

    What is not known to run is of the newest revision, or of the old template where nothing runs.
    """
    if participant.settled:
        kept, running = participant.kept, participant.staying
        stays = [Revision(created_pod(participant.old, "old"), kept, running)] if kept else []
        rest = () if kept else running
        comes = [Revision(created_pod(participant.new, "new"), total - kept, rest)] if total > kept or not kept else []
        return [*stays, *comes]
    more = total - participant.before
    if more > 0 and participant.controller.on_delete and not participant.daemons:
        # what is made now is of the template that is written now
        return [*revisions(participant, participant.before), Revision(created_pod(participant.new, "new"), more)]
    if not participant.running:
        return [Revision(created_pod(participant.old, "old"), total)]
    groups: dict[tuple[object, ...], list[Pod]] = {}
    for pod in sorted(participant.running, key=lambda pod: (pod.meta.created, pod.meta.name)):
        groups.setdefault(identity(pod), []).append(pod)
    counts = [len(pods) for pods in groups.values()]
    counts[-1] += total - sum(counts)
    return [Revision(anonymous(pods[0]), count, pods) for pods, count in zip(groups.values(), counts, strict=True)]


def revisions_with_waiting(participant: WorkloadChange) -> list[Revision]:
    """The revisions of a Deployment that is rolled, oldest first: with how many more pods of each wait for a node."""
    waiting: dict[tuple[object, ...], list[Pod]] = {}
    for pod in sorted(participant.waiting, key=lambda pod: (pod.meta.created, pod.meta.name)):
        waiting.setdefault(identity(pod), []).append(pod)
    wanted = max(0, participant.before - len(participant.waiting))
    found: list[Revision] = []
    if wanted or participant.running or not waiting:
        for one in revisions(participant, max(wanted, len(participant.running))):
            same = waiting.pop(identity(one.running[0]), []) if one.running else []
            found.append(one._replace(waiting=len(same)))
    # a template of which nothing runs was the last to come
    return found + [Revision(anonymous(pods[0]), 0, (), len(pods)) for pods in waiting.values()]


def current_revision(participant: WorkloadChange, found: Sequence[Revision]) -> int | None:
    """Which of a Deployment's revisions, oldest first, has the new template: its ReplicaSet grows again.

    The newest is that of the template as it was, unless its pods show another one. An inventory need not tell the
    images of pods: where it does not, and an older revision differs from the newest in nothing else, nobody knows
    whether it comes back.
    Behaviour: FindNewReplicaSet of pkg/controller/deployment/util/deployment_util.go, 1.34.
    """
    if participant.old is participant.new or not participant.rolls:
        return None
    for place, one in enumerate(found):
        shown = is_of(one.running[0], participant.new) if one.running else False
        if shown is False:
            continue
        older = place < len(found) - 1
        if (shown and older) or is_of(one.running[0], participant.old) is False:
            return place
        if older and shown_template(one.pod) != shown_template(found[-1].pod):
            return place
    return None
