"""Findings about rollouts that never end in any cluster, or in some; no node is known."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.builders.rollout_end import End
from kubelint_gpu.engine.api import ApplySet, Diagnostic, FixCandidate, Related, WorkloadCheck, field_pointers
from kubelint_gpu.evidence.stakes import wait_of, why_exclusive
from kubelint_gpu.messages.kept_pods import keeping, numbers
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.scheduler.plugins.node_ports import port_numbers


def standstill_anywhere(
    unit: ApplySet, subject: WorkloadCheck, end: End, code: str, proposals: Sequence[FixCandidate]
) -> Diagnostic:
    """The finding that a rollout never ends in any cluster."""
    manifest, workload = subject.manifest, subject.workload
    wait = wait_of(unit, subject, end.waiting)
    why, _, label = keeping(workload)
    clause, sentences = wait.clause, tuple(wait.sentences())
    if code in ("KLG102", "KLG103"):
        where = f"the only {'node' if len(end.waiting.lacks) == 1 else 'nodes'} that it may go to"
        holder = "the old pod" if workload.replicas == 1 else "the old pods"
        ports = listed([str(port) for port in port_numbers(workload.spec)])
        what = f"host port {ports} of {where}, held by" if code == "KLG102" else f"a place on {where}, apart from"
        clause = f"the new pod waits for {what} {holder}"
        sentences = (clause,)
    place = manifest.place(field_pointers.strategy(manifest), "key")
    return Diagnostic(
        code,
        place,
        f"the rollout never ends in any cluster: {clause}, and {why}",
        manifest,
        cause="rollout",
        related=(Related(place, label), *why_exclusive(unit, subject, end.waiting)),
        cycle=(*sentences, *numbers(workload)),
        proposals=tuple(proposals),
    )


def standstill_somewhere(
    unit: ApplySet, subject: WorkloadCheck, code: str, waits: str, proposals: Sequence[FixCandidate]
) -> Diagnostic:
    """The finding that a rollout never ends in some clusters; `waits` says in which, and what it waits for.

    It is a note, because this is common; if every node counts as full, it is a warning.
    """
    manifest, workload = subject.manifest, subject.workload
    why, _, label = keeping(workload)
    place = manifest.place(field_pointers.strategy(manifest), "key")
    return Diagnostic(
        code,
        place,
        f"the rollout may never end: {waits}, and {why}",
        manifest,
        cause="rollout",
        certainty="possible",
        severity="warning" if unit.world.full else "note",
        related=(Related(place, label),),
        cycle=numbers(workload),
        help=("give --inventory to learn whether the cluster lets it end",),
        proposals=tuple(proposals),
    )
