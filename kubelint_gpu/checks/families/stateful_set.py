"""Rollouts of StatefulSets."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.company import crowding
from kubelint_gpu.checks.draft import Draft
from kubelint_gpu.checks.finding import Related
from kubelint_gpu.checks.growing import at_most, growing, placed_of
from kubelint_gpu.checks.places import clues
from kubelint_gpu.checks.registry import rule
from kubelint_gpu.checks.spreading import unspreadable
from kubelint_gpu.checks.stakes import holders, scarce
from kubelint_gpu.checks.standstill import ended, is_trapped, shortage, standstill
from kubelint_gpu.checks.unit import Subject, Unit
from kubelint_gpu.checks.wording import counted
from kubelint_gpu.documents import Pointer
from kubelint_gpu.kube.rolling import StatefulSetStrategy
from kubelint_gpu.rollout.explorer import Verdict
from kubelint_gpu.rollout.judgement import Judgement

_POLICY: Pointer = ("spec", "podManagementPolicy")


@rule("KLG111")
def statefulset_blocked(unit: Unit) -> Iterator[Draft]:
    """A pod that is never ready holds up all that come after it, and every later change of the template."""
    for verdict in (Verdict.STUCK, Verdict.MAY_STICK):
        for subject, end in ended(unit, verdict):
            if isinstance(subject.workload.strategy, StatefulSetStrategy):
                yield standstill(unit, subject, end, "KLG111", may=verdict is Verdict.MAY_STICK)
    for subject in unit.subjects:
        judgement = unit.judgements.get(id(subject))
        if judgement is None or not judgement.eligible or judgement.verdict is not None:
            continue
        if not is_trapped(subject, judgement) or unit.may_outgrow(subject):
            continue
        if crowding(unit, subject) is not None or unspreadable(unit, subject) is not None:
            # the rules for anti-affinity and spreading speak of it
            continue
        placed = placed_of(unit, subject, judgement)
        if placed < judgement.wanted:
            yield _trap(unit, subject, judgement, placed)


def _trap(unit: Unit, subject: Subject, judgement: Judgement, placed: int) -> Draft:
    manifest, strategy = subject.manifest, subject.workload.strategy
    first = strategy.first_ordinal if isinstance(strategy, StatefulSetStrategy) else 0
    name = f"{subject.workload.meta.name}-{first + placed}"
    pools = at_most(unit, subject)
    text, why = shortage(unit, subject, judgement, placed)
    resource = scarce(subject)
    written = manifest.present(_POLICY)
    order = Related(
        manifest.place(_POLICY) if written else manifest.place(("spec",), "key"),
        f"{'' if written else 'by default '}OrderedReady: nothing is made or replaced while a pod is not ready",
    )
    return Draft(
        "KLG111",
        manifest.place(routes.replicas(manifest)),
        f"only {placed} of {counted(judgement.wanted, 'replica')} can run{f' even with {pools}' if pools else ''}, and "
        f"while {name} is not ready no change of the template reaches any pod: {why}",
        manifest,
        cause="rollout",
        certainty="certain" if unit.complete else "possible",
        scheduler=text,
        related=(
            order,
            *clues(unit, subject, resource, sorted(judgement.eligible)),
            *holders(unit, subject, resource, judgement.eligible),
            *growing(unit, subject),
        ),
        help=() if judgement.refusal else (_helpless(name),),
    )


def _helpless(name: str) -> str:
    return f"taking a change back does not help: {name} keeps the template it was made with until it is deleted"
