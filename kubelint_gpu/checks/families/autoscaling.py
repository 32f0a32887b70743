"""HorizontalPodAutoscalers, and how far they can really go."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.capacity import room_for
from kubelint_gpu.checks.draft import Draft, Proposal
from kubelint_gpu.checks.finding import Related
from kubelint_gpu.checks.growing import at_most, growing
from kubelint_gpu.checks.manifest import Manifest
from kubelint_gpu.checks.places import clues
from kubelint_gpu.checks.registry import rule
from kubelint_gpu.checks.scaled import MOST, TARGET, target
from kubelint_gpu.checks.stakes import scarce
from kubelint_gpu.checks.subject import Subject
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.checks.wording import counted, workload_name
from kubelint_gpu.documents.edits import replace_scalar

# more than that is not counted: nothing is said then
_ENOUGH = 500


@rule("KLG115")
def hpa_exceeds_capacity(unit: Unit) -> Iterator[Draft]:
    """The autoscaler may ask for more replicas than there are places, node by node."""
    for manifest in unit.manifests if unit.has_nodes else ():
        most = routes.at(manifest, MOST)
        subject = target(unit, manifest)
        if subject is None or not isinstance(most, int) or isinstance(most, bool) or most > _ENOUGH:
            continue
        judgement = unit.judgements.get(id(subject))
        if judgement is None or not judgement.eligible:
            continue
        room = room_for(unit, subject, most)
        if not subject.workload.replicas <= room < most or not room:
            continue
        certain = _is_certain(unit, subject, most, room)
        if certain or not unit.may_outgrow(subject):
            yield _draft(unit, manifest, subject, most, room, certain=certain)


def _is_certain(unit: Unit, subject: Subject, most: int, room: int) -> bool:
    """Whether no node beyond the inventory makes room for more."""
    return unit.is_closed_to(subject) or (unit.further.known and room_for(unit, subject, most, further=True) == room)


def _draft(unit: Unit, manifest: Manifest, subject: Subject, most: int, room: int, *, certain: bool) -> Draft:
    pools = at_most(unit, subject)
    beside = " beside what runs already" if unit.cluster.pods else ""
    judgement = unit.judgements[id(subject)]
    target = workload_name(subject.workload)
    return Draft(
        "KLG115",
        manifest.place(MOST),
        f"maxReplicas is {most}, but only {counted(room, 'replica')} of {target} "
        f"{'finds' if room == 1 else 'find'} room{beside}{f', even with {pools}' if pools else ''}",
        manifest,
        cause="maxReplicas",
        certainty="certain" if certain else "possible",
        related=(
            Related(manifest.place((*TARGET, "name")), f"it scales {target}"),
            *clues(unit, subject, scarce(subject), sorted(judgement.eligible)),
            *growing(unit, subject),
        ),
        proposals=(
            Proposal(
                f"set maxReplicas: {room}, as many as find room",
                "unsafe",
                lambda: [replace_scalar(manifest.item, MOST, str(room))],
            ),
        ),
    )
