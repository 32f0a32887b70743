"""HorizontalPodAutoscalers, and how far they can really go."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.certainty import cluster_beyond
from kubelint_gpu.analysis.coupled import ties
from kubelint_gpu.analysis.growing_pools import at_most, growing
from kubelint_gpu.analysis.replica_room import Room, counted_room
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.analysis.scaling import target
from kubelint_gpu.budget import BUDGET
from kubelint_gpu.documents.edits import replace_scalar
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.evidence.exclusive_lines import scarce
from kubelint_gpu.evidence.node_lines import clues
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.messages.wording import counted, listed, verb, workload_name, workload_names
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.autoscalers import MOST, TARGET
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck


@rule("KLG115")
def hpa_exceeds_capacity(unit: ApplySet) -> Iterator[Diagnostic]:
    """The autoscaler may ask for more replicas than there are places, node by node."""
    for manifest in unit.manifests if unit.has_nodes else ():
        most = field_pointers.at(manifest, MOST)
        subject = target(unit, manifest)
        if subject is None or not isinstance(most, int) or isinstance(most, bool):
            continue
        judgement = judgements_in(unit).get(subject.key)
        if judgement is None or not judgement.eligible or not subject.workload.replicas:
            # with 0 replicas an autoscaler is switched off
            continue
        found = counted_room(unit, subject, most)
        if not found.known:
            yield _undecided(manifest, subject, most)
        if not found.known or not subject.workload.replicas <= found.pods < most or not found.pods:
            continue
        certain = _is_certain(unit, subject, most, found)
        if certain or not unit.may_outgrow(subject):
            yield _draft(unit, manifest, subject, most, found, certain=certain)


def _is_certain(unit: ApplySet, subject: WorkloadCheck, most: int, found: Room) -> bool:
    """Whether no node beyond the inventory makes room for more; pools have grown as far as they may."""
    if unit.is_closed_to(subject) or (unit.is_closed and not unit.may_outgrow(subject)):
        return True
    return cluster_beyond(unit).known and counted_room(unit, subject, most, further=True).pods == found.pods


def _undecided(manifest: Manifest, subject: WorkloadCheck, most: int) -> Diagnostic:
    return Diagnostic(
        "KLG115",
        manifest.place(MOST),
        f"whether {most} replicas of {workload_name(subject.workload)} find room is undecided: "
        f"the search ended after {BUDGET.placements} placements",
        manifest,
        cause="maxReplicas undecided",
        severity="note",
        certainty="possible",
        undecided=True,
    )


def _draft(
    unit: ApplySet, manifest: Manifest, subject: WorkloadCheck, most: int, found: Room, *, certain: bool
) -> Diagnostic:
    pools, room = at_most(unit, subject), found.pods
    others = workload_names([one.workload for one in found.beside])
    names = listed([*(["what runs already"] if unit.cluster.pods else []), *([others] if others else [])])
    beside = f" beside {names}" if names else ""
    judgement = judgements_in(unit)[subject.key]
    target = workload_name(subject.workload)
    return Diagnostic(
        "KLG115",
        manifest.place(MOST),
        f"maxReplicas is {most}, but only {counted(room, 'replica')} of {target} "
        f"{verb('find', room)} room{beside}{f', even with {pools}' if pools else ''}",
        manifest,
        cause="maxReplicas",
        moment="later",
        certainty="certain" if certain else "possible",
        related=(
            Related(manifest.place((*TARGET, "name")), f"it scales {target}"),
            *ties(unit, subject, found.beside),
            *clues(unit, subject, scarce(subject), sorted(judgement.eligible)),
            *growing(unit, subject),
        ),
        proposals=(
            FixCandidate(
                f"set maxReplicas: {room}, as many as find room",
                "unsafe",
                lambda: [replace_scalar(manifest.item, MOST, str(room))],
                of_amounts=True,
            ),
        ),
    )
