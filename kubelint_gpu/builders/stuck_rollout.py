"""A rollout that comes to a standstill, as a finding: who waits for what, and why nothing moves any more."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.analysis.certainty import proviso
from kubelint_gpu.analysis.growing_pools import growing
from kubelint_gpu.analysis.predecessors import is_made, shows_template
from kubelint_gpu.analysis.rollout_facts import next_rollouts
from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.builders.common_cause import of_standstill
from kubelint_gpu.builders.kubelet_refusal import refused_by_kubelet
from kubelint_gpu.builders.rollout_end import End
from kubelint_gpu.builders.waiting_pods import declare, of_one_node, unsure_claims
from kubelint_gpu.engine.api import (
    ApplySet,
    Diagnostic,
    FixCandidate,
    Moment,
    Place,
    Related,
    WorkloadCheck,
    field_pointers,
)
from kubelint_gpu.evidence.stakes import stakes, wait_of
from kubelint_gpu.messages.kept_pods import help_beside, keeping, numbers, rivals_for_room
from kubelint_gpu.messages.wait import story
from kubelint_gpu.messages.wording import counted, verb, workload_names
from kubelint_gpu.values import replace

_UNTOLD = ("it ends where the pods that run have this template, images as well, which the inventory does not tell",)


def standstill(
    unit: ApplySet,
    subject: WorkloadCheck,
    end: End,
    code: str,
    *,
    place: Place | None = None,
    may: bool | None = None,
    proposals: Sequence[FixCandidate] = (),
    after: str = "",
    at_once: bool = False,
    further: Sequence[str] = (),
) -> Diagnostic:
    """The finding that a rollout never ends or, with `may`, may never end.

    Attributes:
        after: what comes between this change, which rolls out, and that rollout, as in `once the Job has ended`.
        at_once: nothing comes between: it may never end where `after` comes first.
        further: what else helps.
    """
    manifest, workload = subject.manifest, subject.workload
    may = (at_once or code == "KLG107") if may is None else may
    place = manifest.place(field_pointers.strategy(manifest), "key") if place is None else place
    wait = wait_of(unit, subject, end.waiting)
    why, keeps, label = keeping(workload)
    unless = proviso(unit, subject, end.judgement)
    closed = not unless
    beyond = f"{unless}, " if unless and not workload.approximate else ""
    made, coming = is_made(unit, subject), subject.key in next_rollouts(unit).judgements and not at_once
    moment: Moment = "later" if after and not at_once else "next" if made or coming else "now"
    change = transitions_in(unit).get(subject.key)
    rolls = moment != "now" and change is not None and change.rolls and (change.known or not after)
    done = "this change starts it, and " if made else "this change rolls out, and " if rolls else ""
    scaled, replicas = subject.scaled, counted(workload.replicas, "replica")
    begins = f"{done}{beyond}{f'{after}, ' if after else ''}"
    begins += f"at {replicas}, which {scaled.sets}, " if scaled is not None else ""
    unknown = unsure_claims(unit, workload, end.waiting)
    others = end.judgement.company
    ends = "may never end" if may or unknown or workload.approximate else "never ends"
    beside = ""
    if others and not may:
        ends += " unless others make room in time"
        beside = f"; {workload_names(others)} {verb('change', len(others))} at the same moment"
    which = "the next" if moment == "next" else "the"
    draft = Diagnostic(
        code,
        place,
        f"{begins}{which} rollout {ends}: {wait.clause}, and {why}{beside}",
        manifest,
        cause="rollout",
        certainty="certain" if closed and not may and not unknown else "possible",
        severity="warning" if (may or made or coming) and closed else None,
        moment=moment,
        shared=of_standstill(unit, end.waiting, begins, ends.replace("ends", "end")),
        help=(
            *filter(None, (subject.controller.remedy,)),
            *of_one_node(subject, end.waiting),
            *declare(unknown),
            *(_UNTOLD if may and moment == "now" and not shows_template(unit, subject) else ()),
            *help_beside(others, may=may),
            *(() if proposals else rivals_for_room(workload, end.waiting)),
        ),
        scheduler=end.waiting.scheduler or None,
        related=(
            *((Related(place, label),) if label else ()),
            *((Related(scaled.place, f"it sets {replicas}"),) if scaled is not None else ()),
            *stakes(unit, subject, end.waiting),
            *(growing(unit, subject) if end.judgement.grows else ()),
        ),
        trace=story(end.trace, wait, keeps),
        run=end.trace,
        cycle=(*wait.sentences(), *numbers(workload)),
        proposals=tuple(proposals),
        waits=(manifest.object, f"{manifest.object} at {workload.replicas}"),
    )
    draft = refused_by_kubelet(draft, wait, f"{begins}{which} rollout {ends}", f"{why}{beside}")
    return replace(draft, help=(*draft.help, *further))
