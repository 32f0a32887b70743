"""Tries the proposals of findings before it offers them, and names the layer that removed a decisive field."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import TYPE_CHECKING

from kubelint_gpu.documents import editing, value_at
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.engine.causes import joint_proposals, of_one_cause
from kubelint_gpu.engine.diagnostic import Diagnostic, Identity
from kubelint_gpu.engine.fixes.batches import batches
from kubelint_gpu.engine.fixes.trials import Trials, cured, edited, tried
from kubelint_gpu.findings.finding import Finding, Fix, Refusal, Related, with_short_words
from kubelint_gpu.messages.wording import NOT_OFFERED
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest, place_of

if TYPE_CHECKING:
    from kubelint_gpu.sources.render import TakenAway

_MOST_FINDINGS = 20_000
"""With more findings in a unit, no fix is tried: each trial computes all findings again."""
_TOO_MANY = "it was not tried, because so much is found here: mend the other findings first"
_FEW = 3
"""Up to so many findings of one cause are also tried alone, if no joint change fixes all of them."""
_EXPLAINED = ("KLG1", "KLG2")

_MOST = 24
_MOST_TEXT = 60


def not_offered(finding: Finding, fixes: Sequence[Fix], refusals: Sequence[Refusal]) -> Iterator[str]:
    """Yield a sentence that says why a finding about rollouts or placement has a refused proposal but no fix."""
    if refusals and not fixes and finding.severity != "note" and finding.code.startswith(_EXPLAINED):
        yield with_short_words(f'{NOT_OFFERED}. One would be "{refusals[0].title}", but {refusals[0].why}')


def offered(
    unit: ApplySet, wanted: Sequence[Diagnostic], drafts: Sequence[Diagnostic], trials: Trials
) -> list[tuple[Fix | Refusal, ...]]:
    """Return the fixes and refusals of each draft in `wanted`. The most severe drafts are tried first."""
    if len(drafts) > _MOST_FINDINGS:
        return [
            tuple(Refusal(each.title, each.safety, _TOO_MANY, each.effect) for each in draft.proposals)
            for draft in wanted
        ]
    known = batches(unit, wanted, drafts)
    left = count(known.alone or 0, -1)
    alone = trials.spend if unit.rendered else lambda: known.alone is None or next(left) > 0
    done: list[tuple[Fix | Refusal, ...]] = [()] * len(wanted)
    groups = of_one_cause(wanted)
    together: set[int] = set()
    for group in groups:
        joint = tuple(_joint(unit, [wanted[place] for place in group], drafts, trials))
        if len(group) > _FEW or any(isinstance(answer, Fix) for answer in joint):
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
        # every draft's first proposal comes before any second proposal
        while running:
            for place, answers in list(running.items()):
                answer = next(answers, None)
                if answer is None:
                    del running[place]
                else:
                    done[place] = (*done[place], answer)
    return done


def _joint(
    unit: ApplySet, group: Sequence[Diagnostic], drafts: Sequence[Diagnostic], trials: Trials
) -> Iterator[Fix | Refusal]:
    """Yield changes that fix all findings of a group if they are made in all of its objects."""
    for proposal in joint_proposals(group):
        first = replace(group[0], proposals=(proposal,))
        yield from tried(unit, first, drafts, is_enough=trials.is_enough, beside=group[1:])


def removed(unit: ApplySet, drafts: Sequence[Diagnostic], trials: Trials) -> dict[Identity, tuple[Related, ...]]:
    """Return, by the identity of each draft, the lines that removed a field that would prevent the finding."""
    if not unit.rendered or not drafts:
        return {}
    culprits: dict[Identity, tuple[Related, ...]] = {}
    concerned = dict.fromkeys(draft.manifest for draft in drafts if draft.manifest is not None)
    for manifest, removal in islice(_removals(tuple(concerned)), _MOST):
        if not trials.spend():
            break
        try:
            changed = edited(unit, _put_back(manifest, removal))
        except NotEditable:
            continue
        spot = removal.writer.spot()
        related = Related(place_of(spot.path, spot.span), _removal_text(removal))
        for identity in cured(changed, drafts) if changed is not None else ():
            culprits[identity] = (*culprits.get(identity, ()), related)
    return culprits


def _removals(manifests: Sequence[Manifest]) -> Iterator[tuple[Manifest, TakenAway]]:
    for manifest in manifests:
        for removal in manifest.origin.removals() if manifest.origin is not None else ():
            yield manifest, removal


def _put_back(manifest: Manifest, removal: TakenAway) -> list[editing.Edit]:
    item, pointer = manifest.item, removal.pointer
    missing = [value for key, value in removal.entries if key is None]
    if not missing:
        return [editing.set_key(item, pointer, key, value) for key, value in removal.entries if key is not None]
    return [editing.set_key(item, pointer[:-1], str(pointer[-1]), [*value_at(item.value, pointer), *missing])]


def _removal_text(removal: TakenAway) -> str:
    where = ".".join(map(str, removal.pointer))
    fields = []
    for key, value in removal.entries:
        name = f"{where}.{key}" if key is not None and where else key or f"of {where}"
        text = json.dumps(value) if not isinstance(value, str) else value
        fields.append(f"{name}: {text}" if len(text) <= _MOST_TEXT else name)
    return f"{', '.join(fields)} is taken away here; with it this would not be found"
