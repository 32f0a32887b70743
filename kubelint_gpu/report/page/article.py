"""A finding as an article: the problem, its cause, its place, its remedy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from kubelint_gpu.findings.finding import Finding, Fix, Severity
from kubelint_gpu.report.change import hunks
from kubelint_gpu.report.content import Mark, Report, groups, object_name, source_line
from kubelint_gpu.report.page.markup import link, sentence, source, text
from kubelint_gpu.report.page.owners import Owners
from kubelint_gpu.report.page.player import player

_MOST_FIXES, _MOST_CHANGED, _MOST_SENTENCES = 5, 60, 40
_SIGNS: dict[Severity, tuple[str, str]] = {"error": ("✕", "Error"), "warning": ("!", "Warning"), "note": ("i", "Note")}

MOST_GROUPS, MOST_LINES = 6, 24
_WIDEST, _BEFORE = 240, 80
_LONG = 4


def article(
    finding: Finding, number: int, report: Report, owners: Owners, *, unfolded: bool, told: str = ""
) -> Iterator[str]:
    """Yield the finding; everything but its message can be folded away. Text equal to `told` is not repeated."""
    sign, word = _SIGNS[finding.severity]
    rule = report.rules.get(finding.code)
    code = link(rule.url, finding.code) if rule is not None and rule.url else finding.code
    possible = f'<span class="chance">{finding.chance}</span>' if finding.chance else ""
    name = object_name(finding)
    place = f"{finding.place.path}:{finding.place.line}:{finding.place.column}"
    yield (
        f'<article class="finding {finding.severity}" id="f{number}" data-severity="{finding.severity}"'
        f' data-fingerprint="{text(finding.fingerprint)}">\n'
    )
    yield (
        f'<p class="tags"><span class="severity"><span class="sign" aria-hidden="true">{sign}</span>{word}</span>'
        f'<span class="rule">{code} {text(finding.name)}</span>{possible}</p>\n'
    )
    yield f"<h3>{text(sentence(finding.message))}</h3>\n"
    yield f'<p class="where">{f"<span>{text(name)}</span> " if name else ""}<code>{text(place)}</code></p>\n'
    yield f"<details{' open' if unfolded else ''}><summary>{_promise(finding)}</summary>\n"
    if rule is not None and rule.summary and rule.summary[1:] not in told:
        yield f'<p class="plain">{text(rule.summary)}</p>\n'
    if finding.trace:
        yield from player(finding, number, owners)
    yield from _circle(finding)
    yield from _remedies(finding, report)
    yield "<h4>Where it stands</h4>\n"
    yield from excerpts(finding, report)
    if finding.scheduler:
        yield "<h4>What kube-scheduler would say</h4>\n"
        yield f'<blockquote class="scheduler">{text(finding.scheduler)}</blockquote>\n'
    yield "</details>\n</article>\n"


def _promise(finding: Finding) -> str:
    parts = ["steps"] if finding.trace else []
    parts += ["fixes"] if finding.fixes else []
    parts.append("source")
    return f"Details: {', '.join(parts)}"


def _circle(finding: Finding) -> Iterator[str]:
    if not finding.cycle:
        return
    yield '<h4>Who waits for whom</h4>\n<ul class="circle">\n'
    for told in finding.cycle[:_MOST_SENTENCES]:
        yield f"<li>{text(sentence(told))}</li>\n"
    yield "</ul>\n"


def _remedies(finding: Finding, report: Report) -> Iterator[str]:
    if not finding.fixes and not finding.help:
        return
    yield '<h4>What would help</h4>\n<ul class="fixes">\n'
    for fix in finding.fixes[:_MOST_FIXES]:
        yield f'<li><p>{text(sentence(fix.title))} <span class="badges">{_standing(fix)}</span></p>\n'
        yield from _diff(fix, report)
        yield "</li>\n"
    for advice in finding.help[:_MOST_SENTENCES]:
        yield f"<li><p>{text(sentence(advice))}</p></li>\n"
    yield "</ul>\n"


def _standing(fix: Fix) -> str:
    proven = "proven by simulation" if fix.verified else "not proven"
    kind = "safe" if fix.safety == "safe" else "changes what runs"
    return f'<span class="badge {"good" if fix.verified else ""}">{proven}</span> <span class="badge">{kind}</span>'


def _diff(fix: Fix, report: Report) -> Iterator[str]:
    lines = 0
    for hunk in hunks(fix, report):
        if lines >= _MOST_CHANGED:
            yield "<p>More changes are left out.</p>\n"
            return
        yield f'<figure class="code diff"><figcaption>{text(hunk.path)}</figcaption>\n'
        for line in hunk.lines[: _MOST_CHANGED - lines]:
            kind, word = {"+": ("new", "added"), "-": ("gone", "removed")}.get(line.sign, ("", ""))
            spoken = f'<span class="hidden">{word}: </span>' if word else ""
            yield (
                f'<div class="line {kind}"><span class="n" aria-hidden="true">{line.sign}</span>'
                f"<code>{spoken}{source(line.text[:240])}</code></div>\n"
            )
        lines += len(hunk.lines)
        yield "</figure>\n"


def excerpts(finding: Finding, report: Report) -> Iterator[str]:
    """Yield a figure for each part of a file that the finding points at."""
    found = groups(finding)
    for group in found[:MOST_GROUPS]:
        lead = next((mark for mark in group if mark.primary), group[0])
        place = f"{lead.place.path}:{lead.place.line}:{lead.place.column}"
        yield f'<figure class="code"><figcaption>{text(place)}</figcaption>\n'
        yield from _lines(group, lead.place.path, report)
        yield "</figure>\n"
    if len(found) > MOST_GROUPS:
        yield f"<p>{len(found) - MOST_GROUPS} more places are left out.</p>\n"


def _lines(marks: Sequence[Mark], path: str, report: Report) -> Iterator[str]:
    numbers = _numbers(marks)
    before = 0
    for number in numbers[:MOST_LINES]:
        here = [mark for mark in marks if mark.place.line == number]
        line = source_line(report, path, number)
        if not line and not here:
            continue
        if line is not None:
            if before and number > before + 1:
                yield '<div class="gap" aria-hidden="true">⋯</div>\n'
            before = number
            within = [mark for mark in marks if mark.place.line <= number <= mark.last_line]
            hit = " hit" if any(mark.primary for mark in within) else ""
            shown = _marked(line, number, within)
            yield f'<div class="line{hit}"><span class="n">{number}</span><code>{shown}</code></div>\n'
        for mark in here:
            if mark.label:
                kind = "said primary" if mark.primary else "said"
                where = "" if line is not None else f"line {number}: "
                yield f'<div class="{kind}">{where}{text(mark.label)}</div>\n'


def _numbers(marks: Sequence[Mark]) -> list[int]:
    """Return the marked lines and their neighbours; of a long range its beginning and end."""
    wanted: set[int] = set()
    for mark in marks:
        first, last = mark.place.line, mark.last_line
        lines = range(first, last + 1) if last - first <= _LONG else (first, first + 1, last)
        wanted |= set(lines) | {first - 1, last + 1}
    return sorted(number for number in wanted if number > 0)


def _marked(line: str, number: int, marks: Sequence[Mark]) -> str:
    spans = [(*_span(mark, number, line), mark.primary) for mark in marks]
    low = max(0, min((begin for begin, _, _ in spans), default=0) - _BEFORE) if len(line) > _WIDEST else 0
    high = min(len(line), low + _WIDEST)
    edges = {low, high}
    for begin, end, _ in spans:
        edges |= {min(max(begin, low), high), min(max(end, low), high)}
    pieces = ["…"] if low else []
    ordered = sorted(edges)
    for begin, end in pairwise(ordered):
        covering = [primary for first, last, primary in spans if first <= begin and end <= last]
        piece = source(line[begin:end])
        if covering:
            kind = ' class="primary"' if any(covering) else ""
            piece = f"<mark{kind}>{piece}</mark>"
        pieces.append(piece)
    return "".join([*pieces, "…"] if high < len(line) else pieces)


def _span(mark: Mark, number: int, line: str) -> tuple[int, int]:
    """Return the marked range of a line, without indentation."""
    place = mark.place
    begin = place.column - 1 if number == place.line else len(line) - len(line.lstrip())
    end = place.end_column - 1 if number == place.end_line else len(line)
    return begin, end
