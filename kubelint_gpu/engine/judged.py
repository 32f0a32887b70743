"""The findings of one unit, with the fixes that are offered."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.decided import decided_in
from kubelint_gpu.analysis.resting_demand import RestingDemand, demands_of
from kubelint_gpu.engine.asking import drafts_of, unread
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.fixes.offers import not_offered, offered, removed
from kubelint_gpu.engine.fixes.trials import Trials
from kubelint_gpu.engine.overlays import OverlayFinding, seen_through
from kubelint_gpu.engine.reported import finding_of
from kubelint_gpu.engine.selection import Suppression, left_by
from kubelint_gpu.findings.decided import Decided
from kubelint_gpu.findings.finding import Finding, Fix, Place, Refusal
from kubelint_gpu.simulation.asked_again import settle
from kubelint_gpu.values import Value, replace
from kubelint_gpu.work import UsedUp, left
from kubelint_gpu.workspace.apply_set import ApplySet

if TYPE_CHECKING:
    from kubelint_gpu.findings.picture import RolloutPicture


class Judged(Value):
    """The findings of one unit.

    Attributes:
        crashed: a finding for each rule that failed.
        ignored: how many findings were suppressed, apart from those in `hidden`.
        hidden: keys of suppressed findings on rendered objects: one that is seen through several overlays counts once.
        unknown: the undeclared claims of its pods, as `namespace/name`.
        decided: the verdict on each rollout, with the answers behind it.
        demands: what it asks for at rest.
        effective: places of suppressions in sources of renders that had an effect, each with its cause.
    """

    found: tuple[OverlayFinding, ...]
    crashed: tuple[Finding, ...]
    effective: frozenset[tuple[Place, str]]
    ignored: int
    workloads: int
    hidden: frozenset[tuple[str, Place, str]] = frozenset()
    unknown: frozenset[str] = frozenset()
    decided: tuple[Decided, ...] = ()
    demands: tuple[RestingDemand, ...] = ()


def judged_unit(unit: ApplySet, rules: Suppression, *, fixes: bool, pictures: bool) -> Judged:
    """Judge a unit with all rules, without suppressed findings."""
    before = left() or 0
    drafts, crashed = drafts_of(unit)
    decided = decided_in(unit)
    crashed += unread(unit)
    # a trial must not find what the unit itself leaves open
    settle()
    trials = Trials(unit, before - (left() or 0))
    gone = removed(unit, drafts, trials)
    found = [(finding_of(draft, gone.get(draft.identity, ()), unit), draft) for draft in drafts]
    staying, ignored, closing, effective = left_by(unit, [finding for finding, _ in found], rules)
    kept = frozenset(staying)
    told = [*((one, draft) for one, draft in found if one in kept), *closing]
    asked = [number for number, (_, draft) in enumerate(told) if fixes and draft.proposals]
    offers = dict(zip(asked, offered(unit, [told[number][1] for number in asked], drafts, trials), strict=True))
    entries = []
    for number, (finding, draft) in enumerate(told):
        found_fixes = offers.get(number, ())
        fixing = tuple(one for one in found_fixes if isinstance(one, Fix))
        refusals = tuple(one for one in found_fixes if isinstance(one, Refusal))
        drawn = _picture(draft) if pictures else None
        advice = (*finding.help, *not_offered(finding, fixing, refusals))
        whole = replace(finding, fixes=fixing, refusals=refusals, help=advice, picture=drawn)
        entries.append(seen_through(whole, draft, unit))
    workloads = sum(any(one.workload for one in each.templates or (each,)) for each in unit.manifests)
    away = [draft for finding, draft in found if finding not in kept] if unit.rendered else []
    hidden = frozenset((draft.code, draft.place, draft.cause) for draft in away)
    ignored -= len(away)
    unknown = unit.undeclared_claims(one.workload for one in (unit.subjects if unit.has_nodes else ()))
    effects = frozenset(effective)
    demands = demands_of(unit)
    return Judged(tuple(entries), tuple(crashed), effects, ignored, workloads, hidden, unknown, decided, demands)


def _picture(draft: Diagnostic) -> RolloutPicture | None:
    if draft.run is None:
        return None
    from kubelint_gpu.views import picture

    with suppress(UsedUp):
        return picture(draft.run, len(draft.trace))
    return None
