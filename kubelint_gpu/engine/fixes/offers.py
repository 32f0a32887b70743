"""What is offered for findings: the proposals of drafts, each tried before anybody is told of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from kubelint_gpu.engine.causes import joint_proposals, of_one_cause
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.fixes.batches import batches
from kubelint_gpu.engine.fixes.trials import Trials, tried
from kubelint_gpu.findings.finding import Finding, Fix, Refusal, with_short_words
from kubelint_gpu.messages.wording import NOT_OFFERED
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.apply_set import ApplySet

_MOST_FINDINGS = 20_000
"""Findings of a unit from which on no fix is tried: each trial finds all of them again."""
_TOO_MANY = "it was not tried, because so much is found here: mend the other findings first"
_FEW = 3
"""Of so many findings of one cause each is tried by itself, too, if no change mends all of them."""
_EXPLAINED = ("KLG1", "KLG2")


def not_offered(finding: Finding, fixes: Sequence[Fix], refusals: Sequence[Refusal]) -> Iterator[str]:
    """Why a finding about rollouts or placement comes without a fix although one was thought of."""
    if refusals and not fixes and finding.severity != "note" and finding.code.startswith(_EXPLAINED):
        yield with_short_words(f'{NOT_OFFERED}. One would be "{refusals[0].title}", but {refusals[0].why}')


def offered(
    unit: ApplySet, wanted: Sequence[Diagnostic], drafts: Sequence[Diagnostic], trials: Trials
) -> list[tuple[Fix | Refusal, ...]]:
    """What came of the proposals of each draft; what weighs most is tried first."""
    if len(drafts) > _MOST_FINDINGS:
        return [
            tuple(Refusal(one.title, one.safety, _TOO_MANY, one.effect) for one in draft.proposals) for draft in wanted
        ]
    known = batches(unit, wanted, drafts)
    left = count(known.alone or 0, -1)
    alone = trials.spend if unit.rendered else lambda: known.alone is None or next(left) > 0
    done: list[tuple[Fix | Refusal, ...]] = [()] * len(wanted)
    groups = of_one_cause(wanted)
    together: set[int] = set()
    for group in groups:
        joint = tuple(_joint(unit, [wanted[place] for place in group], drafts, trials))
        if len(group) > _FEW or any(isinstance(one, Fix) for one in joint):
            together.update(group)
            for place in group:
                done[place] = joint
    for severity in ("error", "warning", "note"):
        running = {
            place: tried(
                unit,
                draft,
                drafts,
                {number for number in range(len(draft.proposals)) if (place, number) in known.holds},
                alone,
                trials.is_enough,
            )
            for place, draft in enumerate(wanted)
            if draft.effective_severity == severity and place not in together
        }
        # the first proposal of each comes before the second one of any
        while running:
            for place, one in list(running.items()):
                found = next(one, None)
                if found is None:
                    del running[place]
                else:
                    done[place] = (*done[place], found)
    return done


def _joint(
    unit: ApplySet, group: Sequence[Diagnostic], drafts: Sequence[Diagnostic], trials: Trials
) -> Iterator[Fix | Refusal]:
    """The changes that mend all findings of a group when they are made in all of its objects."""
    for proposal in joint_proposals(group):
        first = replace(group[0], proposals=(proposal,))
        yield from tried(unit, first, drafts, is_enough=trials.is_enough, beside=group[1:])
