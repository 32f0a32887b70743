"""Jobs that never end where what is applied with them comes first, or that stop half-way."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.certainty import is_certain
from kubelint_gpu.builders.waiting_pods import declare, of_one_node, unsure_claims
from kubelint_gpu.engine.api import ApplySet, Diagnostic, WorkloadCheck
from kubelint_gpu.evidence.stakes import stakes, wait_of
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import replace


def behind(
    unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, attached: Waiting | None
) -> Iterator[Diagnostic]:
    """A Job that never ends where what is applied with it comes first, or stops half-way, or waits for a volume."""
    key, wanted, placed = subject.workload.key, judgement.wanted, judgement.placed
    if placed >= wanted and attached is not None:
        judgement, placed = replace(judgement, waiting=attached, at_best=None), 0
    if placed >= wanted or not (judgement.waiting or judgement.refusal):
        return
    waiting = judgement.waiting or Waiting(key, new=True, count=1, refusal=judgement.refusal)
    never = judgement.at_best is not None and judgement.at_best < wanted
    of_all = "its pods" if not placed else f"{wanted - placed} of its {wanted} pods"
    yield Diagnostic(
        "KLG109",
        subject.manifest.place(("spec",), "key"),
        f"{of_all} {'wait' if never else 'may wait'} for ever beside what is applied with it: "
        f"{wait_of(unit, subject, waiting, standing=True).clause}",
        subject.manifest,
        cause="starving",
        certainty="certain" if never and is_certain(unit, subject, judgement) else "possible",
        severity="warning",
        scheduler=waiting.scheduler or None,
        help=(*of_one_node(subject, waiting), *declare(unsure_claims(unit, subject.workload, waiting))),
        related=stakes(unit, subject, waiting),
    )
