"""Judges the units of a run within the budget, equal files once. Any number of processes gives the same results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from kubelint_gpu.budget import NORMAL, Effort
from kubelint_gpu.documents import SourceText
from kubelint_gpu.engine.executors.executor import ALONE, Executor, untold
from kubelint_gpu.engine.judged import Judged
from kubelint_gpu.engine.reported import identified
from kubelint_gpu.engine.results.kept_results import KeptResults
from kubelint_gpu.findings.finding import Finding, Fix, Place, Related, TextEdit
from kubelint_gpu.sources.checkout import is_chart
from kubelint_gpu.values import replace
from kubelint_gpu.work import limited
from kubelint_gpu.workspace.apply_set import ApplySet

Answer = TypeVar("Answer")
_FIRST = 10
"""What part of the allowance of a group each of several units has at first; most need less."""


def coarse(steps: int) -> int:
    """Round down coarsely, so that one more file usually changes no share, and results for as many steps are reused."""
    unit = 1 << max(0, steps.bit_length() - 5)
    return steps // unit * unit


def within_budget(
    work: Callable[[ApplySet], Answer],
    units: Sequence[ApplySet],
    executor: Executor | None = None,
    tell: Callable[[int], None] = untold,
    effort: Effort = NORMAL,
    kept: KeptResults | None = None,
) -> list[Answer]:
    """Return `work(unit)` for each unit, in their order, within the budget of the run; `kept` results are reused.

    All units have equal shares. What they do not use is divided among those that had too little, which are judged
    again.
    """
    limits, executor = partial(_limited, work, effort.group), executor or ALONE
    whole = effort.run
    share = min(coarse(whole // max(1, len(units))), effort.group // _FIRST)
    first = max(effort.least, share) if len(units) > 1 else whole
    found = _asked(limits, [(unit, first) for unit in units], executor, tell, kept)
    short = [number for number, (_, _, cut) in enumerate(found) if cut]
    more = (whole - sum(first - left for _, left, _ in found)) // max(1, len(short))
    if more > first:
        again = _asked(limits, [(units[number], more) for number in short], executor, untold, kept)
        for number, one in zip(short, again, strict=True):
            found[number] = one
    return [answer for answer, _, _ in found]


def _limited(work: Callable[[ApplySet], Answer], group: int, one: tuple[ApplySet, int]) -> tuple[Answer, int, bool]:
    """The result of a unit with so many steps, the steps that are left, and whether something was cut off."""
    unit, steps = one
    with limited(steps, group) as allowance:
        answer = work(unit)
    if allowance.cut:
        unit.forget()
    return answer, max(0, allowance.left), bool(allowance.cut)


def _asked(
    limits: Callable[[tuple[ApplySet, int]], tuple[Answer, int, bool]],
    asked: Sequence[tuple[ApplySet, int]],
    executor: Executor,
    tell: Callable[[int], None],
    kept: KeptResults | None,
) -> list[tuple[Answer, int, bool]]:
    """The result of each unit with so many steps: the kept one, or a new one, which is then kept."""
    if kept is None:
        return executor.each(limits, asked, tell)
    keys = [kept.key(unit) for unit, _ in asked]
    found = [kept.recall(key, steps) if key is not None else None for key, (_, steps) in zip(keys, asked, strict=True)]
    todo = [number for number, one in enumerate(found) if one is None]
    done = len(asked) - len(todo)
    tell(done)
    made = executor.each(limits, [asked[number] for number in todo], lambda more: tell(done + more))
    for number, one in zip(todo, made, strict=True):
        found[number] = one
        key = keys[number]
        if key is not None:
            kept.keep(key, asked[number][1], one)
    return [one for one in found if one is not None]


def judged_once(work: Callable[[Sequence[ApplySet]], list[Judged]], units: Sequence[ApplySet]) -> list[Judged]:
    """Return `work(units)`, in their order; of units that differ only in their path, just one is judged."""
    sources = [_source(unit) for unit in units]
    texts = Counter(source.text for source in sources if source is not None)
    keys = [
        _decisive(unit, source) if source is not None and texts[source.text] > 1 else None
        for unit, source in zip(units, sources, strict=True)
    ]
    first: dict[Hashable, int] = {}
    models = [number if key is None else first.setdefault(key, number) for number, key in enumerate(keys)]
    found = _of(work, units, sorted(set(models)))
    for number, model in enumerate(models):
        old, new = sources[model], sources[number]
        moved = _moved(found[model], old.path, new.path) if number != model and old and new else None
        if moved is not None:
            found[number] = moved
    found |= _of(work, units, [number for number in range(len(units)) if number not in found])
    return [found[number] for number in range(len(units))]


def _of(
    work: Callable[[Sequence[ApplySet]], list[Judged]], units: Sequence[ApplySet], numbers: Sequence[int]
) -> dict[int, Judged]:
    return dict(zip(numbers, work([units[number] for number in numbers]), strict=True)) if numbers else {}


def _source(unit: ApplySet) -> SourceText | None:
    """The text of a unit of one file that could be read; else None."""
    return unit.readings[0].source if len(unit.readings) == 1 and not unit.readings[0].problems else None


def _decisive(unit: ApplySet, source: SourceText) -> Hashable | None:
    """A key of everything that decides the result of a unit, except for its path; None if there is more.

    All files see the same objects beside them, except for files that contain some of these. Findings of a chart are
    about its folder.
    """
    if is_chart(source.path) or unit.before or unit.made or unit.gone or unit.neighbours or unit.rendered:
        return None
    shared = source.path in unit.beside.shared.paths
    return None if shared else (source.text, source.encoding, source.has_bom, unit.world, unit.budget)


def _moved(judged: Judged, old: str, new: str) -> Judged | None:
    """The result of a file at another path; None if more than its places may contain the path."""
    findings = [one.finding for one in judged.found]
    if judged.crashed or any(old in text for finding in findings for text in _texts(finding)):
        return None

    def place(one: Place) -> Place:
        return replace(one, path=new) if one.path == old else one

    def keys(each: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        return tuple((new if unit == old else unit, key) for unit, key in each)

    def fix(one: Fix) -> Fix:
        return replace(one, edits=tuple(TextEdit(place(edit.place), edit.text) for edit in one.edits))

    def finding(one: Finding) -> Finding:
        shared = one.shared
        moved = replace(
            one,
            place=place(one.place),
            related=tuple(Related(place(near.place), near.message) for near in one.related),
            trace=tuple(step if step.place is None else replace(step, place=place(step.place)) for step in one.trace),
            fixes=tuple(map(fix, one.fixes)),
            shared=shared
            and replace(shared, unit=shared.unit and new, waits=keys(shared.waits), follows=keys(shared.follows)),
        )
        return identified(moved)

    return replace(
        judged,
        found=tuple(replace(one, finding=finding(one.finding)) for one in judged.found),
        decided=tuple(replace(one, path=new) if one.path == old else one for one in judged.decided),
    )


def _texts(finding: Finding) -> Iterator[str]:
    """Yield the sentences of a finding."""
    yield from (finding.message, finding.scheduler or "", *finding.cycle, *finding.help)
    yield from (one.message for one in finding.related)
    yield from (one.message for one in finding.trace)
    yield from (text for one in finding.refusals for text in (one.title, one.why, one.effect))
    yield from (one.title for one in finding.fixes)
