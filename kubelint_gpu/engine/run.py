"""Runs the rules on units and clusters: drafts become findings, and fixes are tried before they are offered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.resting_demand import RestingDemand, shortages
from kubelint_gpu.budget import NORMAL, Effort
from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.cache.plain_values import to_text
from kubelint_gpu.engine.asking import drafts_of_world, first_place
from kubelint_gpu.engine.executors.executor import Executor, untold
from kubelint_gpu.engine.judged import Judged, judged_unit
from kubelint_gpu.engine.overlays import OverlayFinding, merged
from kubelint_gpu.engine.reported import finding_of
from kubelint_gpu.engine.results.kept_results import KeptResults, recalled
from kubelint_gpu.engine.results.shares import judged_once, within_budget
from kubelint_gpu.engine.selection import Suppression
from kubelint_gpu.findings.catalogue import program
from kubelint_gpu.findings.decided import Decided, Reason, in_order
from kubelint_gpu.findings.finding import (
    Finding,
    Fix,
    Place,
    Refusal,
    Related,
    Shared,
    Step,
    TextEdit,
    defect,
    fingerprint,
)
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store

# Of more units than this nothing is kept that could be worked out again.
_MANY = 1000

_PARTS = (Fix, Place, Refusal, Related, Shared, Step, TextEdit)
PLAIN: Mapping[str, type] = {
    one.__name__: one for one in (Judged, RestingDemand, Decided, Reason, OverlayFinding, Finding, *_PARTS)
}


class Outcome(Value):
    """The result of a run.

    Attributes:
        findings: all findings, unordered.
        failed: the run cannot be trusted: a rule crashed or the inventory is unusable.
        ignored: the number of suppressed findings.
        workloads: the number of objects with pods; all templates of a custom resource are one.
        unknown: the undeclared claims of pods, as `namespace/name`.
        decided: the verdict on each rollout, the worst first.
        remarks: sentences about all units together.
    """

    findings: tuple[Finding, ...]
    failed: bool = False
    ignored: int = 0
    workloads: int = 0
    unknown: tuple[str, ...] = ()
    decided: tuple[Decided, ...] = ()
    remarks: tuple[str, ...] = ()


def check(
    units: Sequence[ApplySet],
    world: ClusterContext,
    *,
    fixes: bool = True,
    suppression: Suppression | None = None,
    executor: Executor | None = None,
    effort: Effort = NORMAL,
    tell: Callable[[int], None] = untold,
    pictures: bool = False,
    store: Store | None = None,
) -> Outcome:
    """Run every rule on every unit; an `executor` distributes units, with the same outcome.

    The rules for inventories run on `world` and on the worlds of the units. `tell` receives the number of finished
    units now and then. With `pictures`, findings contain their simulated runs. Results of earlier runs in `store` are
    reused, unless runs are shown.
    """
    findings: list[Finding] = []
    failed = False
    rules = suppression or Suppression()
    for one in dict.fromkeys((world, *(unit.world for unit in units))):
        said, fatal = findings_of_world(one, store)
        findings += said
        failed = failed or fatal
    work = partial(_judged, rules=rules, fixes=fixes, pictures=pictures, many=len(units) > _MANY)
    kept = None
    if store is not None and not pictures:
        kept = KeptResults(store, (repr((fixes, rules.on, rules.off, effort)),), rules.today, PLAIN, _is_whole)

    def judged_of(some: Sequence[ApplySet]) -> list[Judged]:
        return within_budget(work, some, executor, tell, effort, kept)

    judged = judged_of(units) if pictures else judged_once(judged_of, units)
    # a suppression in a base has done its work if it did so in one of the overlays
    effective = frozenset[tuple[Place, str]]().union(*(one.effective for one in judged))
    findings += [finding for one in judged for finding in one.crashed]
    entries = (found for one in judged for found in one.found)
    shown = (one for one in entries if (one.finding.place, one.cause) not in effective)
    findings += [one.finding for one in merged(shown, units)]
    return Outcome(
        distinct(findings),
        failed or any(finding.is_defect for one in judged for finding in one.crashed),
        sum(one.ignored for one in judged) + len(frozenset().union(*(one.hidden for one in judged))),
        sum(one.workloads for one in judged),
        tuple(sorted(frozenset().union(*(one.unknown for one in judged)))),
        tuple(sorted({found: None for one in judged for found in one.decided}, key=in_order)),
        shortages(units, [one.demands for one in judged]),
    )


def _judged(unit: ApplySet, *, rules: Suppression, fixes: bool, pictures: bool, many: bool) -> Judged:
    """Judge a unit; with `many`, its caches are dropped afterwards."""
    try:
        judged = judged_unit(unit, rules, fixes=fixes, pictures=pictures)
    except Exception as error:  # noqa: BLE001 - one unit that cannot be judged must not hide what the others have
        judged = Judged((), (defect(first_place(unit), "this is not judged", error),), frozenset(), 0, 0)
    if many:
        unit.forget()
    return judged


def _is_whole(judged: Judged) -> bool:
    """Whether no rule failed: a defect must be reported again in each run."""
    return not any(finding.is_defect for finding in judged.crashed)


def distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings without duplicates; different ones with equal fingerprints get a number."""
    seen: dict[str, int] = {}
    kept: list[Finding] = []
    said: set[Finding] = set()
    for finding in findings:
        if finding in said:
            continue
        said.add(finding)
        number = seen.get(finding.fingerprint, 0)
        seen[finding.fingerprint] = number + 1
        kept.append(replace(finding, fingerprint=fingerprint(finding.fingerprint, str(number))) if number else finding)
    return tuple(kept)


def findings_of_world(world: ClusterContext, store: Store | None) -> tuple[tuple[Finding, ...], bool]:
    """The findings of a cluster, and whether they make the run untrustworthy."""
    key = digest_of(("world", program(), world.digest)) if store is not None and world.digest else None
    if store is not None and key is not None:
        known = recalled(store, key, PLAIN)
        if known is not None:
            return known[0], bool(known[1])
    drafts, crashed = drafts_of_world(world)
    said = (*map(finding_of, drafts), *crashed), bool(crashed) or any(draft.fatal for draft in drafts)
    if store is not None and key is not None and not crashed:
        store.put(key, to_text(said))
    return said
